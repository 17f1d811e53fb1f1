/** The commands that only read: status, messages, devices. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { localTime } from '../../src/cli/times.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { type CommandResult, jsonLines, waybill } from '../_support/command.ts'
import { logIn, type Rest } from '../_support/rest.ts'
import { OVER_POSTGRES } from '../_support/shared-database.ts'

let broker: BrokerUnderTest
let shop: Rest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20' } })
  await broker.rest.post('/admin/api/clients', { deviseId: 'shop', password: 'sesame' })
  shop = await logIn(broker.server.url, 'shop', 'sesame')
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

/** Runs a command that must succeed, with --json. Returns the objects that it printed. */
async function json(...argv: string[]): Promise<Record<string, unknown>[]> {
  const ended = await run(...argv, '--json')
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  return jsonLines(ended)
}

describe('messages', () => {
  const ids: number[] = []
  beforeAll(async () => {
    for (let n = 0; n < 60; n++) ids.unshift(await broker.send('shelf', { command: 'blink', data: { n } }))
    await broker.acknowledge('shelf', { id: ids[0], deliveryStatus: 'COMPLETED' })
  })

  const listed = async (...flags: string[]): Promise<unknown[]> =>
    (await json('messages', 'shelf', ...flags)).map(({ id }) => id)

  test('a device → its messages, newest first, 50 or --limit of them', async () => {
    expect(await listed()).toEqual(ids.slice(0, 50))
    expect(await listed('--limit', '3')).toEqual(ids.slice(0, 3))
    expect(await listed('--limit', '500')).toEqual(ids)
  })

  test('filters: status, command, sender, since, until → only what matches', async () => {
    const { body } = await shop.put('/producer/request/shelf', { command: 'dim' })
    const { id, deliveryStatus } = body as { id: number; deliveryStatus: string }
    expect(deliveryStatus).toBe('NOT_DELIVERED')
    expect(await listed('--status', 'COMPLETED')).toEqual([ids[0]])
    expect(await listed('--command', 'dim')).toEqual([id])
    expect(await listed('--sender', 'shop', '--since', '1h')).toEqual([id])
    expect(await listed('--sender', 'shop', '--until', '1h')).toEqual([])
    expect(await listed('--sender', 'unused')).toEqual([])
    const [one] = await json('messages', '--command', 'dim')
    const at = new Date(one?.createdDate as number)
    expect(await listed('--command', 'dim', '--since', at.toISOString())).toEqual([id])
    expect(await listed('--command', 'dim', '--until', at.toISOString())).toEqual([])
  })

  test('for people → headings, aligned columns, local times; none → a line on standard error', async () => {
    const { stdout } = await run('messages', 'shelf', '--status', 'COMPLETED')
    const [{ createdDate } = {}] = await json('messages', 'shelf', '--status', 'COMPLETED')
    expect(stdout).toBe(
      `${'ID'.padEnd(String(ids[0]).length)}  STORED               DEVICE  COMMAND  STATUS     CAUSE\n` +
        `${ids[0]}  ${localTime(createdDate as number)}  shelf   blink    COMPLETED  ACKNOWLEDGED\n`,
    )
    expect(await run('messages', 'shelff')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'waybill: no message of the device "shelff" matches\n',
    })
    expect(await json('messages', 'shelff')).toEqual([])
  })

  test('an escape sequence in a command → never reaches the terminal', async () => {
    await broker.send('hostile', { command: '\u001b[2J\u009b31m' })
    const { stdout } = await run('messages', 'hostile')
    expect(stdout).toContain('\\u001b[2J\\u009b31m')
    expect((await json('messages', 'hostile'))[0]).toMatchObject({ command: '\u001b[2J\u009b31m' })
  })
})

describe('messages show', () => {
  const data = '{"big":12345678901234567890,\n "one":1.0}'
  let id: number
  beforeAll(async () => {
    const { body } = await shop.put('/producer/request/oven', { command: 'bake', maxAttempts: 3 })
    id = (body as { id: number }).id
    await broker.next('oven')
    const report = `{"id":${id},"deliveryStatus":"COMPLETED","reason":"well done","result":{"rpm":1.0}}`
    await broker.rest.post('/consumer/request/oven', report)
    await broker.request('pan', `{"command":"fry","data":${data}}`)
  })

  test('a message that is done → terms, report, history and attempts', async () => {
    const { code, stdout, stderr } = await run('messages', 'show', String(id))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Status +COMPLETED$/m)
    expect(stdout).toMatch(/^Sender +shop$/m)
    expect(stdout).toMatch(/^Limit +3 attempts$/m)
    expect(stdout).toMatch(/^Reason +well done$/m)
    expect(stdout).toMatch(/^Result +\{"rpm":1\.0\}$/m)
    expect(stdout).toMatch(/^History\n {2}TIME .*\n {2}\S+ \S+ {2}NOT_DELIVERED +STORED +shop\n/m)
    expect(stdout).toMatch(/^Attempts\n {2}NUMBER .*\n {2}1 .* REST +ACKNOWLEDGED\n$/m)
    expect(stdout).not.toMatch(/^Pending/m)
  })

  test('a pending message → the reason; --json on one line, byte for byte', async () => {
    const [{ id: pending } = {}] = await json('messages', 'pan')
    const { stdout } = await run('message', 'show', String(pending))
    expect(stdout).toMatch(/^Pending +the device is not connected and has not polled$/m)
    const ended = await run('messages', 'show', String(pending), '--json')
    expect(ended.stdout).toContain('"data":{"big":12345678901234567890,  "one":1.0}')
    expect(jsonLines(ended)).toMatchObject([{ id: pending, waits: { reason: 'DEVICE_AWAY' } }])
  })

  test('its sender may read it; others and unknown ids → exit code 5', async () => {
    await broker.rest.post('/admin/api/clients', { deviseId: 'other', password: 'sesame' })
    const as = (user: string) =>
      waybill(
        'messages',
        'show',
        String(id),
        '--url',
        broker.server.url,
        '--user',
        user,
        '--password',
        'sesame',
      )
    expect(await as('shop')).toMatchObject({ code: 0, stderr: '' })
    expect(await as('other')).toMatchObject({ code: 5, stdout: '' })
    expect(await run('messages', 'show', '999999')).toEqual({
      code: 5,
      stdout: '',
      stderr: 'waybill: There is no message 999999.\n',
    })
    expect(
      await waybill('messages', '--url', broker.server.url, '--user', 'shop', '--password', 'sesame'),
    ).toMatchObject({ code: 4, stdout: '' })
  })
})

describe('devices', () => {
  const listed = async (...flags: string[]): Promise<unknown[]> =>
    (await json('devices', '--search', 'gate-', ...flags)).map(({ deviseId }) => deviseId)

  test('filters → only what matches', async () => {
    await broker.send('gate-a', { command: 'open' })
    await broker.send('gate-b', { command: 'open', maxAttempts: 1 })
    await broker.rest.post('/admin/api/clients', { deviseId: 'gate-c', password: 'sesame' })
    await broker.next('gate-b')
    await expect.poll(() => broker.next('gate-b')).toBe(null)
    expect(await listed()).toEqual(['gate-a', 'gate-b', 'gate-c'])
    expect(await listed('--limit', '2')).toEqual(['gate-a', 'gate-b'])
    expect(await listed('--pending')).toEqual(['gate-a'])
    expect(await listed('--parked')).toEqual(['gate-b'])
    expect(await listed('--late', '1h')).toEqual([])
    expect(await listed('--late')).toEqual([])
    expect(await listed('--silent', '1d')).toEqual([])
    expect(await listed('--offline', '--pending')).toEqual(['gate-a'])
    expect(await listed('--online')).toEqual([])
    await expect.poll(() => listed('--late', '0s')).toEqual(['gate-a'])
    await expect.poll(() => listed('--silent', '0s')).toEqual(['gate-a', 'gate-b', 'gate-c'])
    expect(await listed('--silent')).toEqual([])
  })

  test('for people → a row each; show → state and settings', async () => {
    const { stdout } = await run('devices', '--search', 'shelf-1')
    expect(stdout).toBe('')
    await broker.send('shelf-1', { command: 'blink' })
    const rows = (await run('devices', '--search', 'shelf-1')).stdout
    expect(rows).toMatch(
      /^DEVICE +CONNECTED +SEEN +PENDING +OLDEST +LAST MESSAGE\nshelf-1 +- +- +1 +\d+s +\d+ blink NOT_DELIVERED\n$/,
    )
    const shown = (await run('devices', 'show', 'shelf-1')).stdout
    expect(shown).toMatch(/^Pending +1$/m)
    expect(shown).toMatch(/^maxAttempts +general$/m)
    expect(await json('device', 'show', 'shelf-1')).toMatchObject([
      { deviseId: 'shelf-1', waiting: 1, settings: { maxAttempts: null } },
    ])
  })
})

describe('status', () => {
  test('nothing is urgent → exit code 0, the state in words and as JSON', async () => {
    const fresh = await BrokerUnderTest.start()
    const to = ['--url', fresh.server.url, '--token', fresh.token]
    await fresh.send('pump', { command: 'start' })
    const ended = await waybill('status', ...to)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^Version +0\.\d+\.\d+, Node v\d+/m)
    expect(ended.stdout).toMatch(/^Pending +1, the oldest for \d+s \(message 1 for pump\)$/m)
    expect(ended.stdout).toMatch(/^Alerts +none$/m)
    expect(/^Disk +\S+ \S+ free of /m.test(ended.stdout)).toBe(!OVER_POSTGRES)
    const asJson = await waybill('status', ...to, '--json')
    expect(jsonLines(asJson)).toMatchObject([
      { url: fresh.server.url, listeners: [fresh.server.url], waiting: 1, urgent: 0, attention: [] },
    ])
  })

  test('a queue that is nearly full → exit code 9; with --json too, without a line on standard error', async () => {
    const full = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    const to = ['--url', full.server.url, '--token', full.token]
    await full.send('pump', { command: 'start' })
    const ended = await waybill('status', ...to)
    expect(ended).toMatchObject({ code: 9, stderr: '' })
    expect(ended.stdout).toMatch(/^Alerts +1, 1 of them about the server$/m)
    expect(ended.stdout).toMatch(/^ {2}QUEUE_NEARLY_FULL +\S+ +pump .* 1 messages$/m)
    expect(await waybill('status', ...to, '--json')).toMatchObject({ code: 9, stderr: '' })
  })

  test('acknowledged alerts → last, with the name, exit code 0; one that is opened again → 9', async () => {
    const full = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    const to = ['--url', full.server.url, '--token', full.token]
    const failed = await full.send('broken', { command: 'start' })
    await full.acknowledge('broken', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await full.send('pump', { command: 'start' })
    const path = '/admin/api/alerts/QUEUE_NEARLY_FULL%3Apump/acknowledgement'
    expect(await full.rest.put(path, { note: 'on it' })).toMatchObject({ status: 204 })

    const ended = await waybill('status', ...to)

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^Alerts +1, 0 of them about the server, 1 acknowledged$/m)
    expect(ended.stdout).toMatch(/^ {2}FAILED .* - .*\n {2}QUEUE_NEARLY_FULL .* by admin +1 +1 messages$/m)
    const [summary] = jsonLines(await waybill('status', ...to, '--json'))
    const acknowledged = { by: 'admin', date: expect.any(Number), note: 'on it' }
    expect(summary).toMatchObject({
      urgent: 0,
      attention: [
        { kind: 'FAILED', acknowledged: null },
        { kind: 'QUEUE_NEARLY_FULL', acknowledged },
      ],
    })

    await full.rest.delete(path)
    expect(await waybill('status', ...to)).toMatchObject({ code: 9 })
  })

  test('the server cannot read the acknowledgements → the alerts of the overview, all open', async () => {
    const full = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    await full.send('pump', { command: 'start' })
    await full.rest.put('/admin/api/alerts/QUEUE_NEARLY_FULL%3Apump/acknowledgement', {})
    const proxy = createServer(async ({ url = '/' }, response) => {
      const headers = { authorization: `Bearer ${full.token}` }
      const answer = await fetch(full.server.url + url, { headers })
      response.statusCode = url.startsWith('/admin/api/alerts') ? 503 : answer.status
      response.setHeader('content-type', 'application/json')
      response.end(await answer.text())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    whenDone(() => new Promise((resolve) => proxy.close(resolve)))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

    const ended = await waybill('status', '--url', url, '--token', full.token)

    expect(ended).toMatchObject({ code: 9, stderr: '' })
    expect(ended.stdout).toMatch(/^Alerts +1, 1 of them about the server$/m)
  })

  test('an alert about a device → shown, exit code 0', async () => {
    const id = await broker.send('broken', { command: 'start' })
    await broker.acknowledge('broken', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    const ended = await run('status')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/^ {2}FAILED +\S+ +broken /m)
  })
})

test('routes explain --json: found, or not → an object, and the exit code', async () => {
  const explain = (path: string) => waybill('routes', 'explain', 'GET', path, '--prefix', '@broker', '--json')
  const found = await explain('/auth/me')
  expect(found).toMatchObject({ code: 0, stderr: '' })
  expect(jsonLines(found)).toMatchObject([{ method: 'GET', path: '/auth/me', found: true }])
  const missing = await explain('/nowhere')
  expect(missing).toMatchObject({ code: 1, stderr: '' })
  expect(jsonLines(missing)).toEqual([
    {
      ...{ method: 'GET', path: '/nowhere', found: false },
      steps: expect.arrayContaining(['404: nothing answers /nowhere']),
    },
  ])
})
