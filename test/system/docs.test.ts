/** The README says what the code does: tables, drawing, commands and examples. `DOCS=write npm test` writes the tables. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { MOST_READERS } from '../../src/broker/feed.ts'
import { MOST_REJECTIONS } from '../../src/broker/rejection-log.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { listRoutes } from '../../src/cli/routes.ts'
import { SETTINGS } from '../../src/config/table.ts'
import { CONNECTION_LIMITS } from '../../src/mqtt/connection.ts'
import { PACKET_HEADERS } from '../../src/mqtt/packet-validator.ts'
import { MQTT_LIMITS } from '../../src/mqtt/server.ts'
import { SESSION_LIMITS } from '../../src/mqtt/sessions.ts'
import { type ErrorEntry, WEB_ERRORS } from '../../src/web/errors.ts'
import { FORM_PARTS } from '../../src/web/keywords.ts'
import { NODE_LIMITS } from '../../src/web/node-connection.ts'
import { readSite } from '../../src/web/read-site.ts'
import { errors as brokerErrors } from '../../src/wire/errors.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { startServer } from '../_support/server.ts'

const ROOT = new URL('../..', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** The README's part between `<!-- table: NAME -->` and `<!-- end -->`. */
function part(name: string): string {
  const [, text] =
    new RegExp(`<!-- table: ${name} -->\n([\\s\\S]*?)<!-- end -->`).exec(read('README.md')) ?? []
  if (text === undefined) throw new Error(`README.md has no table "${name}"`)
  return text
}

/** The README's fenced block behind `<!-- NAME -->`. */
function block(name: string): string {
  const [, text] =
    new RegExp(`<!-- ${name} -->\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(read('README.md')) ?? []
  if (text === undefined) throw new Error(`README.md has no block "${name}"`)
  return text
}

function expectTable(name: string, rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`)
  const table = `${lines.join('\n').replaceAll('| --- ', '|---').replaceAll('--- |', '---|')}\n`
  if (process.env.DOCS === 'write') {
    const marker = `<!-- table: ${name} -->\n`
    const before = marker + part(name)
    writeFileSync(
      new URL('README.md', ROOT),
      read('README.md').replace(before, () => marker + table),
    )
  }
  expect(part(name)).toBe(table)
}

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

test('settings', () => {
  const rows = SETTINGS.map(({ flag, env, key, defaultText, unit, meaning, ...setting }) => {
    const value = defaultText ?? `${code(String(setting.default))}${unit ? ` ${unit}` : ''}`
    return [code(flag), code(env), code(key), value, meaning].map((cell) => cell.replaceAll('|', '\\|'))
  })
  expectTable('settings', [['Flag', 'Environment', 'File', 'Default', 'Meaning'], ...rows])
})

test('errors', () => {
  const entries: [string, ErrorEntry][] = [...Object.entries(WEB_ERRORS), ...Object.entries(brokerErrors)]
  const rows = entries
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, when }]) => [String(status), code(name), when])
  expectTable('errors', [['Status', 'Name in the code', 'When'], ...rows])
})

test('limits', () => {
  const limit = (key: string): string => {
    const setting = SETTINGS.find((each) => each.key === key)
    return `${setting?.default} ${setting?.unit} (\`${key}\`)`
  }
  const seconds = (ms: number): string => `${ms / 1000} s`
  expectTable('limits', [
    ['Limit', 'Value', 'Beyond it'],
    ['request body', limit('server.body-limit'), '413'],
    ['undelivered messages for one device', limit('app.queue.limit'), '429'],
    [
      'failed logins of one client from one address',
      `${LOGIN_FAILURES.allowed} in ${LOGIN_FAILURES.windowSec} s`,
      '429',
    ],
    ['parts of a multipart form', String(FORM_PARTS), '400'],
    ['request line and headers (node)', `${NODE_LIMITS.headerBytes} bytes`, '431'],
    ['time for the headers (node)', seconds(NODE_LIMITS.headersTimeoutMs), '408'],
    ['time for a whole request (node)', seconds(NODE_LIMITS.requestTimeoutMs), '408'],
    ['idle connection (node)', seconds(NODE_LIMITS.keepAliveTimeoutMs), 'closed'],
    ['MQTT packet, beside its payload of the size of a request body', `${PACKET_HEADERS} bytes`, 'closed'],
    ['time from an MQTT connection to its CONNECT', seconds(MQTT_LIMITS.connectTimeoutMs), 'closed'],
    [
      'commands of an MQTT client that are on their way to the disk',
      String(CONNECTION_LIMITS.underWay),
      'not read until it has some',
    ],
    ['bytes that wait for an MQTT client to read them', String(CONNECTION_LIMITS.backlogBytes), 'closed'],
    ['time in which an MQTT client reads nothing of them', seconds(CONNECTION_LIMITS.stallMs), 'closed'],
    ['bytes that wait for an MQTT client that is away', String(SESSION_LIMITS.queueBytes), 'dropped'],
    ['bytes of all retained messages', String(SESSION_LIMITS.retainedBytes), 'not retained'],
    ['streams of events at a time', String(MOST_READERS), '503'],
    ['refusals that are kept to be shown', String(MOST_REJECTIONS), 'the oldest is forgotten'],
    ['history of a message that does not wait any more', limit('app.history.days'), 'removed'],
  ])
})

test('routes: method, path and access of every one', async () => {
  const site = await readSite([new URL('endpoints', ROOT).pathname])
  const listed = listRoutes(site)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/))
    .map(([method, path, , , access]) => `${method} ${path} ${access}`)
  const documented = part('routes')
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, method, path, access]) => `${method} ${path} ${access}`)
  expect(documented.sort()).toEqual(listed.sort())
})

test('the drawing of the states is that of the code', () => {
  const drawing = /\/\*\n((?: \*.*\n)+) \*\/\n\n\/\*\*.*\nexport const STATUS_KINDS/.exec(
    read('src/broker/status.ts'),
  )?.[1]
  expect(read('README.md')).toContain(drawing?.replaceAll(/^ \*/gm, ''))
})

test('--help names every setting', async () => {
  const { stdout } = await promisify(execFile)('node', ['--import', 'tsx', 'bin/waybill.ts', '--help'], {
    cwd: ROOT,
  })
  for (const { flag, env, key } of SETTINGS) {
    for (const name of [flag, env, key]) if (name !== undefined) expect(stdout).toContain(name)
  }
})

test('the curl examples give what stands below them', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const [script, expected] = split(block('examples'))
  const ready = script
    .replace(/^BASE=.*$/m, `BASE=${server.url}`)
    .replace(/^PASSWORD=.*$/m, "PASSWORD='of the examples'")
    .replaceAll(/^(curl .*)$/gm, '$1; echo')
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready])
  const steady = stdout.replace(/"currentTimestamp":\d+/, '"currentTimestamp":1767225600000')
  expect(steady.trim().split('\n')).toEqual(expected)
})

test('the lines for the command line give what stands below them', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const text = block('command-line')
  const expected = /^# (.*)$/m.exec(text)?.[1] as string
  const ready = text
    .replace(/WAYBILL_PASSWORD=.*$/m, `WAYBILL_PASSWORD='of the examples' WAYBILL_URL=${server.url}`)
    .replaceAll('npx waybill', `'${process.execPath}' --import tsx bin/waybill.ts`)
    .replace('&\n', '> /dev/null &\ntrap "kill $!" EXIT\n')
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready], { cwd: ROOT })
  expect(stdout.trim().split('\n').at(-1)).toBe(expected)
})

test('every exit code', () => {
  const rows = part('exit codes').matchAll(/^\| (\d+) \| `(\w+)` /gm)
  expect([...rows].map(([, number, name]) => [name, Number(number)])).toEqual(Object.entries(EXIT))
})

/** A comment that begins with a bracket is the answer to the command above it. */
function split(examples: string): [script: string, answers: string[]] {
  const answers = [...examples.matchAll(/^# ([[{].*)$/gm)].map((match) => match[1] as string)
  return [examples.replaceAll(/^# [[{].*$/gm, ''), answers]
}

test('the endpoint of the README answers', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'hello.ts'), block('file: hello.ts'))
  const server = await startServer({ args: ['--host', '127.0.0.1:0', '--prefix', directory] })
  const answer = await fetch(`${server.url}/hello/greeting/Ada?polite=yes`)
  expect(await answer.json()).toBe('Dear Ada')
})
