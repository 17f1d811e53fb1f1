/**
 * Adds a term to a copy of the project, as CONTRIBUTING.md says. The edits stay within a few files, everything compiles, and the term
 * works from the flag to the answer with details, over both stores.
 */
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { ADMIN_PASSWORD } from '../_support/clients.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { LOCAL, PROJECT, runCommand, startServer } from '../_support/server.ts'

vi.setConfig({ testTimeout: 10 * LIMIT_MS })

const MOST_FILES = 9
/** Parts of the project in the copy. Other tools build the page. */
const COPIED = ['bin', 'endpoints', 'src', 'templates', 'package.json', 'tsconfig.json']
const NOTE = 'Say "valve 7" first — 7°'

/** An edit of one file: the text to replace, and its replacement. */
type Edit = readonly [path: string, before: string, after: string]

const EDITS: readonly Edit[] = [
  [
    'src/broker/vocabulary/term-table.ts',
    '  readonly maxAttempts: number | null\n}',
    '  readonly maxAttempts: number | null\n  /** Words for the device. */\n  readonly note: string | null\n}',
  ],
  [
    'src/broker/vocabulary/term-table.ts',
    '} as const satisfies Record<TermName, Term>',
    `  note: {
    type: 'text',
    maximum: 200,
    description: 'words for the device',
    flag: 'words for the device',
    column: 'note',
    storedAs: 'note',
    isTime: false,
  },
} as const satisfies Record<TermName, Term>`,
  ],
  [
    'src/store/sqlite/schema/migrations.ts',
    "  'ALTER TABLE terms RENAME COLUMN not_before_ms TO due_at_ms;',\n",
    "  'ALTER TABLE terms RENAME COLUMN not_before_ms TO due_at_ms;',\n  'ALTER TABLE terms ADD COLUMN note TEXT;',\n",
  ],
  ['src/store/postgres/schema/tables.ts', '  late_reason text,\n', '  late_reason text,\n  note text,\n'],
  [
    'src/cli/message-show.ts',
    '  maxAttempts: ({ maxAttempts })',
    "  note: ({ note }) => ['Note', note],\n  maxAttempts: ({ maxAttempts })",
  ],
]
/** Files that a command writes: the types of the client. */
const GENERATED = ['src/client/types.ts']

function edited(): string {
  const copy = temporaryDirectory()
  for (const name of COPIED) {
    cpSync(join(PROJECT, name), join(copy, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !path.startsWith(join(PROJECT, 'src/ui')),
    })
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  for (const [path, before, after] of EDITS) {
    const text = readFileSync(join(copy, path), 'utf8')
    expect(text, `${path} has the place of the edit`).toContain(before)
    writeFileSync(
      join(copy, path),
      text.replace(before, () => after),
    )
  }
  return copy
}

test(`a new term, in at most ${MOST_FILES} files → it compiles, and works from the flag to the details on both stores`, async () => {
  expect(new Set([...EDITS.map(([path]) => path), ...GENERATED]).size).toBeLessThanOrEqual(MOST_FILES)
  const copy = edited()
  const program = ['--import', import.meta.resolve('tsx'), join(copy, 'bin/waybill.ts')]
  const types = await runCommand({ program, args: ['types', '--prefix', '@broker'], cwd: copy })
  expect(types).toMatchObject({ code: 0, stderr: '' })
  for (const path of GENERATED) writeFileSync(join(copy, path), types.stdout)
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '--noEmit'], { cwd: copy }).catch(
    (error) => error,
  )
  expect(compiled.stdout).toBe('')

  const store = postgresServer().url(newSchema())
  for (const storing of [[], ['--store', store, '--allow-data-loss']]) {
    const env = { ADMIN_PASSWORD }
    const server = await startServer({
      ...{ program, cwd: copy, dataDir: temporaryDirectory() },
      args: [...LOCAL, ...storing],
      env,
    })
    const remote = ['--url', server.url, '--user', 'admin', '--json']
    const cli = async (...args: string[]): Promise<Record<string, unknown>> => {
      const ended = await runCommand({
        program,
        cwd: copy,
        args: [...args, ...remote],
        env: { WAYBILL_PASSWORD: ADMIN_PASSWORD },
      })
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      return JSON.parse(ended.stdout)
    }
    const { id } = await cli('send', 'pump-1', 'start', '--note', NOTE, '--max-attempts', '4')
    expect(await cli('messages', 'show', String(id))).toMatchObject({
      terms: { note: NOTE, maxAttempts: 4, validSeconds: null },
    })
    const plain = await cli('send', 'pump-1', 'start', '--max-attempts', '4')
    expect(await cli('messages', 'show', String(plain.id))).toMatchObject({
      terms: { note: null, maxAttempts: 4 },
    })
    expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
  }
})
