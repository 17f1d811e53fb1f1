/** Schema of the report of an import of clients, and its conversion. Not a route. */
import { ROLES } from '../../../src/auth/clients.ts'
import type { ImportLine } from '../../../src/auth/import-lines.ts'
import type { ImportPlan } from '../../../src/auth/import-plan.ts'
import type { ImportReport } from '../../../src/auth/import-report.ts'
import { Choice, Type } from '../../../src/web/schema.ts'
import { CSV_ENCODINGS } from '../../../src/wire/csv-decode.ts'
import { wantsDetails } from '../../_details.ts'
import { Count, Nullable, TextLike } from '../../_schemas.ts'

const Line = Type.Integer({ minimum: 1 })
const Role = Choice(ROLES, { title: 'Role' })

export const ImportAnswer = Type.Object(
  {
    id: Type.Integer({ minimum: 0, description: '0 for a dry run' }),
    state: Choice(['PLANNED', 'RUNNING', 'DONE', 'STOPPED']),
    lines: Count,
    done: Count,
    created: Count,
    changed: Count,
    unchanged: Count,
    errors: Type.Array(
      Type.Object({
        line: Line,
        deviseId: Nullable(TextLike('pump-1')),
        message: TextLike('An earlier line has this deviseId. Remove one of the lines.'),
        code: Type.Optional(TextLike('repeated-id')),
        params: Type.Optional(
          Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
            description: 'values that the message names',
          }),
        ),
      }),
    ),
    changes: Type.Optional(
      Type.Array(
        Type.Object({
          line: Line,
          deviseId: TextLike('pump-1'),
          effect: Choice(['CREATED', 'CHANGED']),
          roleBefore: Nullable(Role),
          role: Role,
          isDemotion: Type.Boolean({ description: 'true: an administrator would lose the role' }),
          warning: Type.Optional(
            Type.Object(
              {
                code: TextLike('rounded-id'),
                message: TextLike('The deviseId looks like a long number that a spreadsheet has rounded.'),
              },
              { description: 'why the id of a new client is probably wrong' },
            ),
          ),
        }),
        { description: 'of a dry run with details: the lines that would change something' },
      ),
    ),
    encoding: Type.Optional(
      Choice(CSV_ENCODINGS, {
        description: 'of the answer to the file, with details: how the file was read',
      }),
    ),
    passwords: Type.Optional(
      Type.Array(
        Type.Object({ line: Line, deviseId: TextLike('pump-1'), password: TextLike('a password') }),
        { description: 'with details: the generated passwords. No later answer has them' },
      ),
    ),
  },
  { title: 'ImportReport' },
)

/** Returns a report. @param details true adds the codes of errors, and the changes of a plan */
export function toImportAnswer(report: ImportReport | ImportPlan, details: unknown = false) {
  const { id, state, lines, done, created, changed, unchanged, refused } = report
  const isDetailed = wantsDetails(details)
  return {
    id,
    state,
    lines,
    done,
    created,
    changed,
    unchanged,
    errors: refused.map(({ line, deviceId, isReadable, message, code, params }) => ({
      line,
      deviseId: isReadable || isDetailed ? deviceId : null,
      message,
      ...(isDetailed && { code, params }),
    })),
    ...(isDetailed && 'changes' in report && { changes: report.changes.map(toChange) }),
  }
}

function toChange({ line, deviceId, effect, roleBefore, role, warning }: ImportPlan['changes'][number]) {
  return {
    line,
    deviseId: deviceId,
    effect: effect.toUpperCase(),
    roleBefore,
    role,
    isDemotion: roleBefore === 'MAN' && role !== 'MAN',
    ...(warning && { warning }),
  }
}

export function toGeneratedPasswords(lines: readonly ImportLine[]) {
  return lines.flatMap((each) => {
    if (!('entry' in each) || !each.entry.isGenerated) return []
    const { deviceId, password } = each.entry
    return { line: each.line, deviseId: deviceId, password }
  })
}
