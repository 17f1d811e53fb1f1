/**
 * Adds a term and a link of messages to a copy of the project, as CONTRIBUTING.md says. The edits stay within a few
 * files, everything compiles, and the addition works over both stores.
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
/** File that a command writes: the types of the client. */
const TYPES = 'src/client/types.ts'

/** An edit of one file: the text to replace, and its replacement. */
type Edit = readonly [path: string, before: string, after: string]

const LAST_MIGRATION = "  'ALTER TABLE terms RENAME COLUMN not_before_ms TO due_at_ms;',\n"

/** Copies the project, makes the edits, writes the types of the client, and compiles. Returns the program to run. */
async function editedProgram(edits: readonly Edit[]) {
  expect(new Set([...edits.map(([path]) => path), TYPES]).size).toBeLessThanOrEqual(MOST_FILES)
  const copy = temporaryDirectory()
  for (const name of COPIED) {
    cpSync(join(PROJECT, name), join(copy, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !path.startsWith(join(PROJECT, 'src/ui')),
    })
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  for (const [path, before, after] of edits) {
    const text = readFileSync(join(copy, path), 'utf8')
    expect(text, `${path} has the place of the edit`).toContain(before)
    writeFileSync(
      join(copy, path),
      text.replace(before, () => after),
    )
  }
  const program = ['--import', import.meta.resolve('tsx'), join(copy, 'bin/waybill.ts')]
  const types = await runCommand({ program, args: ['types', '--prefix', '@broker'], cwd: copy })
  expect(types).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(join(copy, TYPES), types.stdout)
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '--noEmit'], { cwd: copy }).catch(
    (error) => error,
  )
  expect(compiled.stdout).toBe('')
  return { program, cwd: copy }
}

/** Starts a server of a program, and calls it. */
class Api {
  readonly #program: { program: readonly string[]; cwd: string }
  readonly #url: string
  readonly #token: string

  private constructor(program: { program: readonly string[]; cwd: string }, url: string, token: string) {
    this.#program = program
    this.#url = url
    this.#token = token
  }

  static async of(program: { program: readonly string[]; cwd: string }, url: string): Promise<Api> {
    const login = { deviseId: 'admin', password: ADMIN_PASSWORD }
    const { accessToken } = await json(fetch(`${url}/auth/login`, request('POST', login)))
    return new Api(program, url, String(accessToken))
  }

  call(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    return json(fetch(this.#url + path, request(method, body, this.#token)))
  }

  /** Runs a command that prints JSON. */
  async cli(...args: string[]): Promise<Record<string, unknown>> {
    const ended = await runCommand({
      ...this.#program,
      args: [...args, '--url', this.#url, '--user', 'admin', '--json'],
      env: { WAYBILL_PASSWORD: ADMIN_PASSWORD },
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(ended.stdout)
  }
}

function request(method: string, body: object, token?: string): RequestInit {
  const headers = new Headers({ 'content-type': 'application/json' })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return { method, headers, body: JSON.stringify(body) }
}

async function json(response: Promise<Response>): Promise<Record<string, unknown>> {
  const answer = await response
  const body = (await answer.json()) as Record<string, unknown>
  expect(answer.status, JSON.stringify(body)).toBe(200)
  return body
}

/** Runs a check on a server of an edited program, over both stores. */
async function overBothStores(edits: readonly Edit[], check: (api: Api) => Promise<void>): Promise<void> {
  const program = await editedProgram(edits)
  const store = postgresServer().url(newSchema())
  for (const storing of [[], ['--store', store, '--allow-data-loss']]) {
    const server = await startServer({
      ...program,
      dataDir: temporaryDirectory(),
      args: [...LOCAL, ...storing],
      env: { ADMIN_PASSWORD },
    })
    await check(await Api.of(program, server.url))
    expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
  }
}

const NOTE = 'Say "valve 7" first — 7°'

const TERM: readonly Edit[] = [
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
    LAST_MIGRATION,
    `${LAST_MIGRATION}  'ALTER TABLE terms ADD COLUMN note TEXT;',\n`,
  ],
  ['src/store/postgres/schema/tables.ts', '  late_reason text,\n', '  late_reason text,\n  note text,\n'],
  [
    'src/cli/message-show.ts',
    '  maxAttempts: ({ maxAttempts })',
    "  note: ({ note }) => ['Note', note],\n  maxAttempts: ({ maxAttempts })",
  ],
]

test(`a new term, in at most ${MOST_FILES} files → it compiles, and works from the flag to the details on both stores`, async () => {
  await overBothStores(TERM, async (api) => {
    const { id } = await api.cli('send', 'pump-1', 'start', '--note', NOTE, '--max-attempts', '4')
    expect(await api.cli('messages', 'show', String(id))).toMatchObject({
      terms: { note: NOTE, maxAttempts: 4, validSeconds: null },
    })
    const plain = await api.cli('send', 'pump-1', 'start', '--max-attempts', '4')
    expect(await api.cli('messages', 'show', String(plain.id))).toMatchObject({
      terms: { note: null, maxAttempts: 4 },
    })
  })
})

const LINK: readonly Edit[] = [
  [
    'src/broker/vocabulary/link-table.ts',
    "  resentFrom: { reverse: 'resentAs', table: 'resends' },\n",
    `  resentFrom: { reverse: 'resentAs', table: 'resends' },
  /** Message whose command this message undoes. */
  undoes: { reverse: 'undoneBy', table: 'undoings' },\n`,
  ],
  [
    'src/store/sqlite/schema/migrations.ts',
    LAST_MIGRATION,
    `${LAST_MIGRATION}  \`CREATE TABLE undoings (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     new_message_id INTEGER NOT NULL UNIQUE,
     PRIMARY KEY (message_id, new_message_id)
   ) STRICT, WITHOUT ROWID;\`,\n`,
  ],
  [
    'src/store/postgres/schema/tables.ts',
    '-- Numbers of the changes.',
    `CREATE TABLE undoings (
  message_id bigint NOT NULL,
  new_message_id bigint NOT NULL UNIQUE,
  PRIMARY KEY (message_id, new_message_id)
);

-- Numbers of the changes.`,
  ],
  [
    'src/wire/messages.ts',
    '    idempotencyKey: Maybe(IdempotencyKey),\n',
    '    idempotencyKey: Maybe(IdempotencyKey),\n    undoes: Maybe(MessageId),\n',
  ],
  [
    'src/wire/messages.ts',
    '    idempotency: null,\n',
    '    idempotency: null,\n    links: message.undoes == null ? null : { undoes: message.undoes },\n',
  ],
]

test(`a new link between messages, in at most ${MOST_FILES} files → it compiles, and both messages show it on both stores`, async () => {
  await overBothStores(LINK, async (api) => {
    const { id: first } = await api.cli('send', 'pump-1', 'open')
    const { id: second } = await api.call('PUT', '/producer/request/pump-1', {
      command: 'close',
      undoes: first,
    })
    const again = await api.call('POST', `/admin/api/messages/${second}/resend`, { force: true })

    expect(await api.cli('messages', 'show', String(first))).toMatchObject({
      ...{ undoes: null, undoneBy: second, resentFrom: null, resentAs: null },
    })
    expect(await api.cli('messages', 'show', String(second))).toMatchObject({
      ...{ undoes: first, undoneBy: null, resentFrom: null, resentAs: again.id },
    })
  })
})
