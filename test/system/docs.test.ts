/**
 * README.md and docs/ say what the code does: tables, drawing, commands and examples.
 * `DOCS=write npx vitest run --project system test/system/docs.test.ts` writes the tables.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { LOGIN_BYTES } from '../../endpoints/_schemas.ts'
import { prefixPaths } from '../../src/app/site.ts'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { HASH_LIMITS } from '../../src/auth/hash-queue.ts'
import { ALERT_KINDS } from '../../src/broker/alerts.ts'
import { DEVICE_SETTING_LIST } from '../../src/broker/device-settings.ts'
import { MIN_FREE_BYTES } from '../../src/broker/disk-floor.ts'
import { MAX_READERS } from '../../src/broker/feed.ts'
import { MAX_REJECTIONS } from '../../src/broker/rejection-log.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { listRoutes } from '../../src/cli/routes.ts'
import { SETTINGS } from '../../src/config/table.ts'
import { METRICS } from '../../src/metrics/table.ts'
import { CONNECTION_LIMITS } from '../../src/mqtt/connection.ts'
import { PACKET_HEADERS } from '../../src/mqtt/packet-validator.ts'
import { RETAINED_LIMITS } from '../../src/mqtt/retained.ts'
import { MQTT_LIMITS } from '../../src/mqtt/server.ts'
import { SESSION_LIMITS } from '../../src/mqtt/session-states.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/mqtt/subscription-quota.ts'
import { BODY_IDLE_MS } from '../../src/web/body-stream.ts'
import { type ErrorEntry, WEB_ERRORS } from '../../src/web/errors.ts'
import { STREAM_STALL_MS } from '../../src/web/http.ts'
import { MAX_FORM_PARTS } from '../../src/web/keywords.ts'
import { NODE_LIMITS } from '../../src/web/node-connection.ts'
import { readSite } from '../../src/web/read-site.ts'
import { describeSchema } from '../../src/web/schema.ts'
import { SOCKET_LIMITS } from '../../src/web/web-sockets.ts'
import { errors as brokerErrors } from '../../src/wire/errors.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, runCommand, startServer } from '../_support/server.ts'
import { appOf, type Files, recordingLog, writeTree } from '../_support/trees.ts'

const ROOT = new URL('../..', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** Finds the part of a page between `<!-- table: NAME -->` and `<!-- end -->`. */
function part(page: string, name: string): string {
  const [, text] = new RegExp(`<!-- table: ${name} -->\n([\\s\\S]*?)<!-- end -->`).exec(read(page)) ?? []
  if (text === undefined) throw new Error(`${page} has no table "${name}"`)
  return text
}

/** Finds the fenced block of a page behind `<!-- NAME -->`. */
function block(page: string, name: string): string {
  const [, text] = new RegExp(`<!-- ${name} -->\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(read(page)) ?? []
  if (text === undefined) throw new Error(`${page} has no block "${name}"`)
  return text
}

function expectTable(page: string, name: string, rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`)
  const table = `${lines.join('\n').replaceAll('| --- ', '|---').replaceAll('--- |', '---|')}\n`
  if (process.env.DOCS === 'write') {
    const marker = `<!-- table: ${name} -->\n`
    const before = marker + part(page, name)
    writeFileSync(
      new URL(page, ROOT),
      read(page).replace(before, () => marker + table),
    )
  }
  expect(part(page, name)).toBe(table)
}

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

test('settings: table → that of the code', () => {
  const rows = SETTINGS.map(({ flag, env, key, defaultText, unit, meaning, ...setting }) => {
    const value = defaultText ?? `${code(String(setting.default))}${unit ? ` ${unit}` : ''}`
    return [code(flag), code(env), code(key), value, meaning].map((cell) => cell.replaceAll('|', '\\|'))
  })
  expectTable('docs/operate.md', 'settings', [['Flag', 'Environment', 'File', 'Default', 'Meaning'], ...rows])
})

test('metrics: table → that of the code', () => {
  const rows = METRICS.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help.replace(/\.$/, ''),
  ])
  expectTable('docs/operate.md', 'metrics', [['Metric', 'Type', 'Labels', 'Meaning'], ...rows])
})

test('device settings: table → that of the code', () => {
  const rows = DEVICE_SETTING_LIST.map(([, { wireName, schema, unit, general, meaning }]) => {
    const value = [describeSchema(schema), unit].filter(Boolean).join(', ')
    return [code(wireName), value, general ?? 'none', meaning]
  })
  expectTable('docs/operate.md', 'device settings', [
    ['Setting', 'Value', 'General value', 'Meaning'],
    ...rows,
  ])
})

test('errors: table → those of the code', () => {
  const entries: [string, ErrorEntry][] = [...Object.entries(WEB_ERRORS), ...Object.entries(brokerErrors)]
  const rows = entries
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, when }]) => [String(status), code(name), when])
  expectTable('docs/rest.md', 'errors', [['Status', 'Name in the code', 'When'], ...rows])
})

test('limits: table → those of the code', () => {
  const limit = (key: string): string => {
    const setting = SETTINGS.find((each) => each.key === key)
    return `${setting?.default} ${setting?.unit} (\`${key}\`)`
  }
  const seconds = (ms: number): string => `${ms / 1000} s`
  expectTable('docs/operate.md', 'limits', [
    ['Limit', 'Value', 'Beyond it'],
    ['request body, MQTT payload', limit('server.body-limit'), '413; over MQTT refused'],
    ['body of a login', `${LOGIN_BYTES} bytes`, '413'],
    ['pending messages of one device', limit('app.queue.limit'), '429'],
    ['HTTP connections at a time (node), WebSockets (uws)', limit('server.max-connections'), 'closed'],
    ['MQTT connections at a time', limit('mqtt.max-connections'), 'closed'],
    [
      'failed logins of one id from one address',
      `${LOGIN_FAILURES.allowed} in ${LOGIN_FAILURES.windowSec} s`,
      '429',
    ],
    [
      'logins that wait for their check',
      String(HASH_LIMITS.waiting),
      '503 for the oldest of the address with the most',
    ],
    ['parts of a multipart form', String(MAX_FORM_PARTS), '400'],
    ['request line and headers (node)', `${NODE_LIMITS.headerBytes} bytes`, '431'],
    ['time for the headers (node)', seconds(NODE_LIMITS.headersTimeoutMs), '408'],
    ['time for a whole request without a streamed body (node)', seconds(NODE_LIMITS.requestTimeoutMs), '408'],
    ['idle connection (node)', seconds(NODE_LIMITS.keepAliveTimeoutMs), 'closed'],
    ['time in which no part of a streamed body arrives', seconds(BODY_IDLE_MS), '408'],
    ['time in which a client takes no part of a streamed response', seconds(STREAM_STALL_MS), 'closed'],
    ['MQTT packet, in addition to its payload (limit: request body)', `${PACKET_HEADERS} bytes`, 'closed'],
    ['time from an MQTT connection to its CONNECT', seconds(MQTT_LIMITS.connectTimeoutMs), 'closed'],
    [
      'commands of an MQTT client on their way to disk',
      String(CONNECTION_LIMITS.underWay),
      'not read until one is on disk',
    ],
    ['bytes buffered for a connected MQTT client', String(CONNECTION_LIMITS.backlogBytes), 'closed'],
    ['time in which an MQTT client reads none of them', seconds(CONNECTION_LIMITS.stallMs), 'closed'],
    ['topic filters of an MQTT connection', String(SUBSCRIPTION_LIMITS.filters), 'refused'],
    ['characters of all of them', String(SUBSCRIPTION_LIMITS.characters), 'refused'],
    ['QoS 2 messages that an MQTT client has not released', String(SESSION_LIMITS.unreleased), 'closed'],
    ['bytes queued for an MQTT session', String(SESSION_LIMITS.queueBytes), 'dropped'],
    [
      'bytes of the MQTT sessions of one client',
      String(SESSION_LIMITS.clientBytes),
      'dropped; the session left first ends',
    ],
    ['bytes of all MQTT sessions', String(SESSION_LIMITS.bytes), 'dropped; the session left first ends'],
    [
      'MQTT sessions of one client without a connection',
      String(SESSION_LIMITS.perClient),
      'the one left first ends',
    ],
    ['time without a connection', `${SESSION_LIMITS.expirySec / 86_400} days`, 'the MQTT session ends'],
    ['retained messages', String(RETAINED_LIMITS.messages), 'not retained'],
    ['bytes of all retained messages', String(RETAINED_LIMITS.bytes), 'not retained'],
    ['message over a WebSocket of a class', `${SOCKET_LIMITS.messageBytes} bytes`, 'closed with 1009'],
    [
      'bytes that its client has not read, when more are sent',
      String(SOCKET_LIMITS.unreadBytes),
      'closed with 1013',
    ],
    ['bytes of messages that wait for the class', String(SOCKET_LIMITS.waitingBytes), 'closed with 1013'],
    [
      `pings of a WebSocket without an answer, one every ${seconds(SOCKET_LIMITS.pingIntervalMs)}`,
      String(SOCKET_LIMITS.unansweredPings),
      'closed',
    ],
    ['event streams at a time', String(MAX_READERS), '503'],
    ['refused logins and messages that are listed', String(MAX_REJECTIONS), 'the oldest is forgotten'],
    ['free disk space', `${MIN_FREE_BYTES} bytes`, '503 for submits'],
    ['history of a settled message', limit('app.history.days'), 'removed'],
  ])
})

test('alerts: table → the kinds of the code, in their order', () => {
  const kinds = part('docs/rest.md', 'alerts').matchAll(/^\| `(\w+)` /gm)
  expect([...kinds].slice(1).map(([, kind]) => kind)).toEqual(ALERT_KINDS)
})

test('routes: table → method, path and access of every route', async () => {
  const site = await readSite(prefixPaths(['@broker']))
  const listed = listRoutes(site)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/))
    .map(([method, path, , , access]) => `${method} ${path} ${access}`)
  const documented = part('docs/rest.md', 'routes')
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/[`\\]/g, '')))
    .map(([, method, path, access]) => `${method} ${path} ${access}`)
  expect(documented.sort()).toEqual(listed.sort())
})

test('statuses: drawing → that of the code', () => {
  const drawing = /\/\*\n((?: \*.*\n)+) \*\/\n\n\/\*\*.*\nexport const STATUS_KINDS/.exec(
    read('src/broker/status.ts'),
  )?.[1]
  expect(read('docs/concepts.md')).toContain(drawing?.replaceAll(/^ \*/gm, ''))
})

test('--help: each setting → named', async () => {
  const { stdout } = await promisify(execFile)('node', ['--import', 'tsx', 'bin/waybill.ts', '--help'], {
    cwd: ROOT,
  })
  for (const { flag, env, key } of SETTINGS) {
    for (const name of [flag, env, key]) if (name !== undefined) expect(stdout).toContain(name)
  }
})

test('REST: curl examples → the answers below them', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const [script, expected] = split(block('docs/rest.md', 'examples'))
  const ready = script
    .replace(/^BASE=.*$/m, `BASE=${server.url}`)
    .replace(/^PASSWORD=.*$/m, "PASSWORD='of the examples'")
    .replaceAll(/^(curl .*)$/gm, '$1; echo')
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready])
  const steady = stdout.replace(/"currentTimestamp":\d+/, '"currentTimestamp":1767225600000')
  expect(steady.trim().split('\n')).toEqual(expected)
})

test('README: walkthrough → the lines below it', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const [script, expected] = split(block('README.md', 'command-line'), /^# (.*)$/gm)
  const ready = script
    .replace(/^alias .*$/m, `alias waybill='${process.execPath} ${BUILT.join(' ')}'`)
    .replace(/WAYBILL_PASSWORD=.*$/m, `WAYBILL_PASSWORD='of the examples' WAYBILL_URL=${server.url}`)
  // Only interactive shells expand aliases by default.
  const { stdout } = await promisify(execFile)('bash', ['-O', 'expand_aliases', '-e', '-c', ready])
  const steady = stdout.replaceAll(/^\d\d:\d\d:\d\d /gm, '09:30:00 ')
  expect(steady.trim().split('\n').sort()).toEqual(expected.sort())
})

test('exit codes: table → those of the code', () => {
  const rows = part('docs/cli.md', 'exit codes').matchAll(/^\| (\d+) \| `(\w+)` /gm)
  expect([...rows].map(([, number, name]) => [name, Number(number)])).toEqual(Object.entries(EXIT))
})

/** Splits a script from the answers that its comments hold: by default the comments that begin with a bracket. */
function split(text: string, answer = /^# ([[{].*)$/gm): [script: string, answers: string[]] {
  const answers = [...text.matchAll(answer)].map((match) => match[1] as string)
  return [text.replaceAll(answer, ''), answers]
}

test('README.md: its endpoint → answers', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'hello.ts'), block('README.md', 'file: hello.ts'))
  const server = await startServer({ args: ['--host', '127.0.0.1:0', '--prefix', directory] })
  const answer = await fetch(`${server.url}/hello/greeting/Ada?polite=yes`)
  expect(await answer.json()).toBe('Dear Ada')
})

/** Returns the files in which the TypeScript compiler finds an error. */
function filesWithErrors(files: string[]): string[] {
  const program = ts.createProgram(files, {
    ...{ strict: true, noEmit: true, types: [], skipLibCheck: false },
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  })
  const found = ts.getPreEmitDiagnostics(program).map(({ file }) => file?.fileName ?? 'the options')
  return [...new Set(found)].sort()
}

const PERMIT_ALL = { APP_SECURITY_PERMIT_ALL: 'true' }

/** Returns the files of an example. Their marks are `<!-- file: EXAMPLE/PATH -->`. */
function filesOf(page: string, example: string): Files {
  const marks = read(page).matchAll(new RegExp(`<!-- file: ${example}/(\\S+) -->`, 'g'))
  return Object.fromEntries(
    [...marks].map(([, path]) => [path as string, block(page, `file: ${example}/${path}`)]),
  )
}

/** Runs the commands of a block against a server of the tree, and compares what they print with the comments. */
async function expectAnswers(page: string, mark: string, tree: string): Promise<void> {
  const files = readdirSync(tree).filter((name) => name.endsWith('.ts'))
  const usesBroker = files.some((name) => readFileSync(join(tree, name), 'utf8').includes('services.broker'))
  const beside = usesBroker ? '@broker' : '@docs'
  const args = ['--host', '127.0.0.1:0', '--prefix', tree, '--prefix', beside]
  const server = await startServer({ args, env: usesBroker ? PERMIT_ALL : {} })
  const [script, expected] = split(block(page, mark), /^# (.*)$/gm)
  const ready = script.replaceAll(/^curl .*$/gm, '$&; echo')
  const env = { ...process.env, BASE: server.url }
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready], { env })
  expect(stdout.split('\n').filter((line) => line !== '')).toEqual(expected)
}

const examples = ['docs/endpoints.md', 'docs/coming-from-endpoints.md'].flatMap((page) =>
  [...read(page).matchAll(/<!-- requests: (\w+) -->/g)].map(([, name]) => [page, name as string] as const),
)

test.each(examples)('%s, requests: %s → the answers below them', (page, example) =>
  expectAnswers(page, `requests: ${example}`, writeTree(filesOf(page, example))),
)

describe('docs/endpoints.md', () => {
  const PAGE = 'docs/endpoints.md'
  const api = (): string => {
    const directory = join(temporaryDirectory(), 'api')
    mkdirSync(directory)
    for (const file of ['notes.ts', '_services.ts'])
      writeFileSync(join(directory, file), block(PAGE, `file: ${file}`))
    return directory
  }

  test('requests → the answers below them', () => expectAnswers(PAGE, 'requests', api()))

  test('a list and its items in two classes → each answers, each with its own shape', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'shelves.ts'), block(PAGE, 'file: shelves.ts'))
    const prefixes = ['--prefix', directory, '--prefix', '@broker']
    const server = await startServer({ args: ['--host', '127.0.0.1:0', ...prefixes], env: PERMIT_ALL })
    const get = async (path: string) => (await fetch(`${server.url}${path}`)).json() as Promise<unknown>
    expect(await get('/shelves?width=70')).toEqual([{ id: 1, width: 80 }])
    expect(await get('/shelves/1')).toEqual({ id: 1, width: 80 })
    const { paths } = (await get('/v3/api-docs')) as {
      paths: Record<string, { get: { operationId: string } }>
    }
    expect(paths['/shelves']?.get.operationId).toBe('listShelves')
    expect(paths['/shelves/{id}']?.get.operationId).toBe('getShelf')
  })

  test('the typed client → compiles and prints the answer; a wrong call does not compile', async () => {
    const project = temporaryDirectory()
    const api = join(project, 'api')
    mkdirSync(api)
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    symlinkSync(fileURLToPath(new URL('node_modules', ROOT)), join(project, 'node_modules'))
    writeFileSync(join(api, 'shelves.ts'), block(PAGE, 'file: shelves.ts'))
    const types = await runCommand({ args: ['types', '--prefix', 'api'], cwd: project })
    expect([types.code, types.stderr]).toEqual([0, ''])
    writeFileSync(join(project, 'api.d.ts'), types.stdout)

    const server = await startServer({ args: ['--host', '127.0.0.1:0', '--prefix', api] })
    const right = block(PAGE, 'typed client').replace('http://127.0.0.1:8080', server.url)
    const client = join(project, 'client.ts')
    writeFileSync(client, right)
    const wrong: [find: string, replace: string][] = [
      ["'/shelves/{id}'", "'/shelfs/{id}'"],
      ['{ id: 1 }', "{ id: 'one' }"],
      ['data.width', 'data.height'],
      ['client.GET', 'client.DELETE'],
    ]
    const files = wrong.map(([find, replace], i) => {
      const file = join(project, `wrong-${i}.ts`)
      writeFileSync(file, right.replace(find, replace))
      return file
    })
    const faulty = filesWithErrors([client, ...files])
    expect(faulty).toEqual(files)
    const run = await promisify(execFile)('node', ['--import', import.meta.resolve('tsx'), client])
    expect(run.stdout).toBe('80 cm\n')
  })

  const sockets = [...read(PAGE).matchAll(/<!-- sockets: (\w+) -->/g)].map((match) => match[1] as string)
  test.each(sockets)('WebSockets, example %s → passes', async (name) => {
    const { app } = await appOf(filesOf(PAGE, name))
    const file = join(temporaryDirectory(), 'example.ts')
    const imports = "import { expect } from 'vitest'\nimport { inject } from 'waybill'"
    const body = block(PAGE, `sockets: ${name}`)
    writeFileSync(file, `${imports}\nexport async function example(app) {\n${body}}\n`)
    const { example } = await import(file)
    await example(app)
  })

  test.each(['test', 'inject'])('%s: the example of a test → passes', async (name) => {
    const directory = api()
    const file = join(directory, '_example.ts')
    const imports =
      "import { expect } from 'vitest'\nimport { App, inject, Lifecycle, readSite } from 'waybill'\nimport { Default } from './notes.ts'"
    const body = block(PAGE, name).replace("['api']", JSON.stringify([directory]))
    writeFileSync(file, `${imports}\nexport async function example(log) {\n${body}}\n`)
    const { example } = await import(file)
    await example(recordingLog())
  })

  test('the program of one’s own → serves, until it is stopped', async () => {
    const directory = api()
    const file = join(directory, '_program.ts')
    const text = block(PAGE, 'program')
      .replace("['api']", JSON.stringify([directory]))
      .replace('port: 8080', 'port: 0')
      .replace('log = console', 'log = recordingLog()')
    const trees = new URL('test/_support/trees.ts', ROOT).pathname
    writeFileSync(file, `import { recordingLog } from '${trees}'\n${text}export { log, server, stop }\n`)
    const { log, server, stop } = await import(file)
    process.removeListener('SIGTERM', stop)
    const url = `http://${server.host}:${server.port}`
    expect(log.lines).toHaveLength(1)
    const answer = await fetch(`${url}/notes`, { method: 'POST', body: new URLSearchParams({ text: 'hi' }) })
    expect(await answer.json()).toBe('hi')
    await stop()
    await expect(fetch(url)).rejects.toThrow()
  })
})
