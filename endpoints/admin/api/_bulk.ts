/** Schemas of actions on many messages, and the conversion of their answers. Not a route. */
import { BULK_ACTIONS, SKIP_CODES } from '../../../src/broker/bulk/bulk-actions.ts'
import type { BulkOrder } from '../../../src/broker/bulk/bulk-jobs.ts'
import type { BulkReport } from '../../../src/broker/bulk/bulk-report.ts'
import { HttpError } from '../../../src/web/endpoint.ts'
import { Choice, Maybe, type Static, Type } from '../../../src/web/schema.ts'
import { IdempotencyKey } from '../../../src/wire/idempotency.ts'
import { DeviceId, MessageId } from '../../../src/wire/messages.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'
import { MessageConditions, toMessageSearch } from './_message-filter.ts'
import { MAX_ROWS } from './_schemas.ts'

const Action = Choice(BULK_ACTIONS, {
  title: 'BulkAction',
  description:
    'CANCEL: cancel pending messages. REPLAY: return UNKNOWN ones to their queues. RESEND: send ended ones again',
})

export type BulkBody = Static<typeof BulkBody>
export const BulkBody = Type.Object(
  {
    action: Action,
    ids: Maybe(Type.Array(MessageId, { minItems: 1, maxItems: MAX_ROWS })),
    filter: Maybe(MessageConditions),
    upToId: Maybe(
      Type.Integer({ minimum: 0, description: 'with filter: leaves out messages that were stored later' }),
    ),
    force: Maybe(Type.Boolean({ description: 'true: CANCEL also what was dispatched and not acknowledged' })),
    dryRun: Maybe(Type.Boolean({ description: 'true: count only' })),
    idempotencyKey: Maybe(IdempotencyKey),
  },
  { title: 'BulkOrder' },
)

const Skipped = Type.Array(Type.Object({ code: Choice(SKIP_CODES), count: PositiveInteger }))

export const BulkPlanAnswer = Type.Object(
  {
    matched: Count,
    isExact: Type.Boolean({ description: 'false: more messages may match' }),
    eligible: Count,
    handedOver: Type.Integer({ minimum: 0, description: 'eligible messages that their device may have' }),
    skipped: Skipped,
    upToId: Nullable(MessageId),
  },
  { title: 'BulkPlan' },
)

export const BulkAnswer = Type.Object(
  {
    id: PositiveInteger,
    action: Action,
    state: Choice(['RUNNING', 'DONE', 'STOPPED']),
    matched: Type.Integer({
      minimum: 0,
      description: 'messages of the action; grows while they are searched',
    }),
    left: Type.Integer({ minimum: 0, description: 'matching messages beyond the 10,000 of one action' }),
    done: Count,
    changed: Count,
    skipped: Skipped,
    failed: Count,
    failures: Type.Array(
      Type.Object({
        messageId: MessageId,
        code: TextLike('queue-full'),
        params: Type.Object(
          { deviseId: DeviceId, command: TextLike('start') },
          { additionalProperties: true, description: 'also the values that the text of the error names' },
        ),
      }),
      { description: 'the first 100' },
    ),
    by: Nullable(TextLike('admin')),
    startedDate: Time,
    endedDate: Nullable(Time),
  },
  { title: 'BulkReport' },
)

/** @throws {HttpError} 400 unless exactly one of `ids` and `filter` is given */
export function toBulkOrder({ action, ids, filter, upToId, force }: BulkBody): BulkOrder {
  const order = { action, force: force ?? false }
  if (ids && !filter) return { ...order, selection: { ids } }
  if (filter && !ids) {
    return { ...order, selection: { filter: toMessageSearch(filter), upToId: upToId ?? null } }
  }
  throw new HttpError(400, 'Name the messages by "ids" or by "filter", and not by both.', {
    code: 'bad-keyword',
    params: { name: 'ids' },
  })
}

/** Returns everything that a repeated request must also have. */
export function contentOf({ action, ids, filter, upToId, force }: BulkBody): unknown[] {
  return ['bulk', action, ids ?? null, filter ?? null, upToId ?? null, force ?? false]
}

export function toBulkAnswer({
  by,
  failures,
  startedAtMs: startedDate,
  endedAtMs: endedDate,
  ...report
}: BulkReport) {
  const listed = failures.map(({ messageId, code, params, deviceId: deviseId, command }) => ({
    messageId,
    code,
    params: { ...params, deviseId, command },
  }))
  return { ...report, failures: listed, by: by.clientId, startedDate, endedDate }
}
