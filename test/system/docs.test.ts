/**
 * README.md and docs/ say what the code does: tables, drawing and the names of the settings.
 * `DOCS=write npx vitest run --project system test/system/docs.test.ts` writes the tables.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { LOGIN_BYTES } from '../../endpoints/_schemas.ts'
import { prefixPaths } from '../../src/app/site.ts'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { HASH_LIMITS } from '../../src/auth/hash-queue.ts'
import { MAX_DEVICE_ROWS } from '../../src/broker/contract/presence-store.ts'
import { MIN_FREE_BYTES } from '../../src/broker/engine/disk-floor.ts'
import { ALERT_KINDS } from '../../src/broker/views/alerts.ts'
import { MAX_NAMED_DEVICES, MAX_READERS } from '../../src/broker/views/feed.ts'
import { MAX_REJECTIONS } from '../../src/broker/views/rejection-log.ts'
import { DEVICE_SETTING_LIST } from '../../src/broker/vocabulary/device-settings.ts'
import { SETTINGS } from '../../src/config/table.ts'
import { METRICS } from '../../src/metrics/table.ts'
import { CONNECTION_LIMITS } from '../../src/mqtt/connection.ts'
import { LINK_LIMITS } from '../../src/mqtt/link-queue.ts'
import { PACKET_HEADERS } from '../../src/mqtt/packet-validator.ts'
import { RETAINED_LIMITS } from '../../src/mqtt/retained.ts'
import { MQTT_LIMITS } from '../../src/mqtt/server.ts'
import { SESSION_LIMITS } from '../../src/mqtt/session-states.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/mqtt/subscription-quota.ts'
import { EXIT } from '../../src/process/exit.ts'
import { listRoutes } from '../../src/runner/routes.ts'
import { BODY_IDLE_MS } from '../../src/web/body-stream.ts'
import { type ErrorEntry, WEB_ERRORS } from '../../src/web/errors.ts'
import { STREAM_STALL_MS } from '../../src/web/http.ts'
import { MAX_FORM_PARTS } from '../../src/web/keywords.ts'
import { NODE_LIMITS } from '../../src/web/node-connection.ts'
import { readSite } from '../../src/web/read-site.ts'
import { describeSchema } from '../../src/web/schema.ts'
import { SOCKET_LIMITS } from '../../src/web/web-sockets.ts'
import { acknowledgementLimit } from '../../src/wire/acknowledgement.ts'
import { errors as brokerErrors } from '../../src/wire/errors.ts'
import { part, ROOT, read, tableTest } from '../_support/docs.ts'

const expectTable = tableTest('npx vitest run --project system test/system/docs.test.ts')

/** Returns the failure text of what only a person can write. */
const byHand = (page: string, what: string): string =>
  `${page} differs from the code: correct ${what} by hand, DOCS=write does not write it`

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
    .map(([name, { status, when, params = [] }]) => [
      String(status),
      code(name),
      when,
      params.map((each) => code(each)).join(', '),
    ])
  expectTable('docs/rest.md', 'errors', [['Status', 'Code', 'When', 'Params'], ...rows])
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
    ['acknowledgement', `${acknowledgementLimit(1)} times a request body`, '413; over MQTT refused'],
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
    ['messages that wait for another node', String(LINK_LIMITS.queueMessages), 'the oldest is dropped'],
    ['bytes of these messages', String(LINK_LIMITS.queueBytes), 'the oldest is dropped'],
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
    ['devices of an event stream that names them', String(MAX_NAMED_DEVICES), '400'],
    [
      'periods, and events, in the log of a device',
      String(MAX_DEVICE_ROWS),
      'the oldest are removed, once an hour',
    ],
    ['refused logins and messages that are listed', String(MAX_REJECTIONS), 'the oldest is forgotten'],
    ['free disk space', `${MIN_FREE_BYTES} bytes`, '503 for submits'],
    ['history of a settled message', limit('app.history.days'), 'removed'],
  ])
})

test('alerts: table → the kinds of the code, in their order', () => {
  const kinds = part('docs/rest.md', 'alerts').matchAll(/^\| `(\w+)` /gm)
  expect(
    [...kinds].slice(1).map(([, kind]) => kind),
    byHand('docs/rest.md', 'the table of alerts'),
  ).toEqual(ALERT_KINDS)
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
  expect(documented.sort(), byHand('docs/rest.md', 'the table of routes')).toEqual(listed.sort())
})

test('statuses: drawing → that of the code', () => {
  const drawing = /^\/\*\n((?: \*.*\n)+?) \*\/\n/m.exec(read('src/broker/vocabulary/status.ts'))?.[1]
  expect(read('docs/concepts.md'), byHand('docs/concepts.md', 'the drawing of the statuses')).toContain(
    drawing?.replaceAll(/^ \*/gm, ''),
  )
})

test('--help: each setting → named', async () => {
  const { stdout } = await promisify(execFile)('node', ['--import', 'tsx', 'bin/waybill.ts', '--help'], {
    cwd: ROOT,
  })
  for (const { flag, env, key } of SETTINGS) {
    for (const name of [flag, env, key]) if (name !== undefined) expect(stdout).toContain(name)
  }
})

test('exit codes: table → those of the code', () => {
  const rows = part('docs/cli.md', 'exit codes').matchAll(/^\| (\d+) \| `(\w+)` /gm)
  expect(
    [...rows].map(([, number, name]) => [name, Number(number)]),
    byHand('docs/cli.md', 'the table of exit codes'),
  ).toEqual(Object.entries(EXIT))
})
