/**
 * Adds a term, a link of messages and a text of a report to a copy of the project, as CONTRIBUTING.md says. Each
 * addition edits a few files, everything compiles, and each works over both stores.
 */
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { ADMIN_PASSWORD } from '../_support/clients.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { LOCAL, PROJECT, runCommand, startServer } from '../_support/server.ts'

vi.setConfig({ testTimeout: 10 * LIMIT_MS, hookTimeout: 10 * LIMIT_MS })

const MOST_FILES = 9
/** Parts of the project in the copy. Other tools build the page. */
const COPIED = ['bin', 'endpoints', 'src', 'templates', 'package.json', 'tsconfig.json']
/** File that a command writes: the types of the client. */
const TYPES = 'src/client/types.ts'

/** An edit of one file: a text, and what replaces it. */
type Edit = readonly [path: string, before: string, after: string]

const MIGRATIONS = 'src/store/sqlite/schema/migrations.ts'
const LAST_STEP = "  'ALTER TABLE terms RENAME COLUMN not_before_ms TO due_at_ms;',\n"
const TABLES = 'src/store/postgres/schema/tables.ts'
const LAST_TEXT = '  late_reason text,\n'
const TEMPLATES = '/admin/api/saved-messages'
const SHOW = 'src/cli/message-show.ts'

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
  ['src/broker/vocabulary/term-table.ts', "  'maxAttempts',\n]", "  'maxAttempts',\n  'note',\n]"],
  [
    MIGRATIONS,
    LAST_STEP,
    `${LAST_STEP}  'ALTER TABLE terms ADD COLUMN note TEXT; ALTER TABLE templates ADD COLUMN note TEXT;',\n`,
  ],
  [TABLES, LAST_TEXT, `${LAST_TEXT}  note text,\n`],
  [
    TABLES,
    '  max_attempts int,\n  data text NOT NULL\n',
    '  max_attempts int,\n  note text,\n  data text NOT NULL\n',
  ],
  [
    SHOW,
    '  maxAttempts: ({ maxAttempts })',
    "  note: ({ note }) => ['Note', note],\n  maxAttempts: ({ maxAttempts })",
  ],
]

const LINK: readonly Edit[] = [
  [
    'src/broker/vocabulary/link-table.ts',
    "  resentFrom: { reverse: 'resentAs', table: 'resends' },\n",
    `  resentFrom: { reverse: 'resentAs', table: 'resends' },
  /** Message whose command this message undoes. */
  undoes: { reverse: 'undoneBy', table: 'undoings' },\n`,
  ],
  [
    MIGRATIONS,
    LAST_STEP,
    `${LAST_STEP}  \`CREATE TABLE undoings (
     message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
     new_message_id INTEGER NOT NULL UNIQUE,
     PRIMARY KEY (message_id, new_message_id)
   ) STRICT, WITHOUT ROWID;\`,\n`,
  ],
  [
    TABLES,
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

const REPORT: readonly Edit[] = [
  [
    'src/broker/vocabulary/report-table.ts',
    '  readonly reason: string | null\n}',
    '  readonly reason: string | null\n  /** Part of the device that the reason is about. */\n  readonly place: string | null\n}',
  ],
  [
    'src/broker/vocabulary/report-table.ts',
    '} as const satisfies Record<ReportTextName, ReportText>',
    `  place: { maximum: 9, description: 'the part of the device', example: 'valve 7', column: 'place' },
} as const satisfies Record<ReportTextName, ReportText>`,
  ],
  [MIGRATIONS, LAST_STEP, `${LAST_STEP}  'ALTER TABLE reports ADD COLUMN place TEXT;',\n`],
  [TABLES, LAST_TEXT, `${LAST_TEXT}  place text,\n`],
  [SHOW, "{ reason: 'Reason' }", "{ reason: 'Reason', place: 'Place' }"],
]

/** Copy of the project with all additions. */
const copy = temporaryDirectory()
const program = ['--import', import.meta.resolve('tsx'), join(copy, 'bin/waybill.ts')]

beforeAll(async () => {
  for (const name of COPIED) {
    cpSync(join(PROJECT, name), join(copy, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !path.startsWith(join(PROJECT, 'src/ui')),
    })
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  for (const [path, before, after] of [...TERM, ...LINK, ...REPORT]) {
    const text = readFileSync(join(copy, path), 'utf8')
    expect(text, `${path} has the place of the edit`).toContain(before)
    writeFileSync(
      join(copy, path),
      text.replace(before, () => after),
    )
  }
  const types = await runCommand({ program, args: ['types', '--prefix', '@broker'], cwd: copy })
  expect(types).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(join(copy, TYPES), types.stdout)
})

test.each([
  { addition: 'term', edits: TERM },
  { addition: 'link', edits: LINK },
  { addition: 'text of a report', edits: REPORT },
])(`a new $addition → edits at most ${MOST_FILES} files`, ({ edits }) => {
  expect(new Set([...edits.map(([path]) => path), TYPES]).size).toBeLessThanOrEqual(MOST_FILES)
})

test('a copy with the additions → it compiles', async () => {
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '--noEmit'], { cwd: copy }).catch(
    (error) => error,
  )
  expect(compiled.stdout).toBe('')
})

describe.each(['SQLite', 'PostgreSQL'])('a copy with the additions, on %s', (store) => {
  let api: Api
  beforeAll(async () => {
    const args = store === 'SQLite' ? [] : ['--store', postgresServer().url(newSchema()), '--allow-data-loss']
    const { url } = await startServer({
      ...{ program, cwd: copy, dataDir: temporaryDirectory() },
      args: [...LOCAL, ...args],
      env: { ADMIN_PASSWORD },
    })
    api = await Api.at(url)
  })

  test('a term → works from the flag to the details', async () => {
    const note = 'Say "valve 7" first — 7°'
    const { id } = await api.cli('send', 'pump-1', 'start', '--note', note, '--max-attempts', '4')
    expect(await api.details(id)).toMatchObject({ terms: { note, maxAttempts: 4, validSeconds: null } })
    const plain = await api.cli('send', 'pump-1', 'start', '--max-attempts', '4')
    expect(await api.details(plain.id)).toMatchObject({ terms: { note: null, maxAttempts: 4 } })
  })

  test('a term of a template → its messages have it', async () => {
    const template = { clientId: null, command: 'start', deliveryGuarantee: 'ONLY_LAST', maxAttempts: 4 }
    const note = 'for "all"'
    const { id } = await api.call('POST', TEMPLATES, { ...template, note, details: true }, 201)
    const changed = { ...template, note: `${note}!`, details: true }
    expect(await api.call('PUT', `${TEMPLATES}/${id}`, changed)).toMatchObject({ note: `${note}!` })
    expect(await api.call('GET', `${TEMPLATES}/${id}?details=true`)).toMatchObject({
      ...{ note: `${note}!`, maxAttempts: 4, validSeconds: null },
    })
    await api.call('POST', `${TEMPLATES}/${id}/sendToDevices`, { deviceIds: ['pump-4'] })
    const [sent] = (await api.call('GET', '/admin/api/messages?deviseId=pump-4')) as unknown as [object]
    expect(await api.details((sent as { id: number }).id)).toMatchObject({
      terms: { note: `${note}!`, maxAttempts: 4, validSeconds: null },
    })
  })

  test('a link → both messages show it', async () => {
    const { id: first } = await api.cli('send', 'pump-2', 'open')
    const close = { command: 'close', undoes: first }
    const { id: second } = await api.call('PUT', '/producer/request/pump-2', close)
    const again = await api.call('POST', `/admin/api/messages/${second}/resend`, { force: true })

    expect(await api.details(first)).toMatchObject({
      ...{ undoes: null, undoneBy: second, resentFrom: null, resentAs: null },
    })
    expect(await api.details(second)).toMatchObject({
      ...{ undoes: first, undoneBy: null, resentFrom: null, resentAs: again.id },
    })
  })

  test('a text of a report → cut, and shown until a later report replaces it', async () => {
    const { id } = await api.cli('send', 'pump-3', 'start')
    const report = (body: object) => api.call('POST', '/consumer/request/pump-3', { id, ...body })
    await report({ deliveryStatus: 'DELIVERED', place: 'valve number 7' })
    expect(await api.details(id)).toMatchObject({ place: 'valve num', reason: null, result: null })
    await report({ deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'stuck', result: 1.0 })
    expect(await api.details(id)).toMatchObject({ place: 'valve num', reason: 'stuck', result: 1 })
    const status = await api.call('GET', `/producer/getMessageStatus/${id}?details=true`)
    expect(status).toMatchObject({ place: 'valve num', reason: 'stuck', result: 1 })
    expect(await api.printed(id)).toMatch(/^Reason +stuck\nPlace +valve num$/m)
  })
})

/** Calls a server of the copy. */
class Api {
  readonly #url: string
  readonly #token: string

  private constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  static async at(url: string): Promise<Api> {
    const { accessToken } = await new Api(url, '').call('POST', '/auth/login', {
      deviseId: 'admin',
      password: ADMIN_PASSWORD,
    })
    return new Api(url, String(accessToken))
  }

  async call(method: string, path: string, body?: object, status = 200): Promise<Record<string, unknown>> {
    const headers = new Headers({ 'content-type': 'application/json' })
    if (this.#token !== '') headers.set('authorization', `Bearer ${this.#token}`)
    const response = await fetch(this.#url + path, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, text).toBe(status)
    return JSON.parse(text)
  }

  /** Runs a command of the copy that prints JSON. */
  async cli(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.#run(...args, '--json'))
  }

  details(id: unknown): Promise<Record<string, unknown>> {
    return this.cli('messages', 'show', String(id))
  }

  /** Returns a message as `waybill messages show` prints it. */
  printed(id: unknown): Promise<string> {
    return this.#run('messages', 'show', String(id))
  }

  async #run(...args: string[]): Promise<string> {
    const remote = ['--url', this.#url, '--user', 'admin']
    const env = { WAYBILL_PASSWORD: ADMIN_PASSWORD }
    const ended = await runCommand({ program, cwd: copy, args: [...args, ...remote], env })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return ended.stdout
  }
}
