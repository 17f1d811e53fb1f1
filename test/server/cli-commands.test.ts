/** The commands that call a server and commands that end: send with terms, cancel, replay, device set, simulate. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { type CommandResult, jsonLines, waybill, withoutTimes } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20' } })
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

/** Runs a command that must succeed, with --json. Returns the objects that it printed. */
async function json(...argv: string[]): Promise<Record<string, unknown>[]> {
  const ended = await run(...argv, '--json')
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  return jsonLines(ended)
}

/** Sends a message and lets its only attempt pass. */
async function park(deviceId: string): Promise<number> {
  const id = await broker.send(deviceId, { command: 'start', maxAttempts: 1 })
  await eventually(async () => {
    await broker.next(deviceId)
    expect(await broker.status(id)).toBe('UNKNOWN')
  })
  return id
}

describe('send', () => {
  test('every term → stored with the message', async () => {
    const terms = { validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3 }
    const flags = ['--valid-seconds', '60', '--finish-seconds', '600', '--delay-seconds', '10']
    const [sent] = await json('send', 'pump', 'start', ...flags, '--max-attempts', '3')
    const { body } = await broker.rest.get(`/admin/api/messages/${sent?.id}?details=true`)
    expect(body).toMatchObject({ terms })
  })

  test('--idempotency-key twice → one message; --replaces → the other one is cancelled', async () => {
    const send = (command: string, ...flags: string[]) => json('send', 'valve', command, ...flags)
    const [first] = await send('open', '--idempotency-key', 'k1')
    expect(await send('open', '--idempotency-key', 'k1')).toEqual([first])
    await send('close', '--replaces', String(first?.id))
    expect(await broker.status(first?.id as number)).toBe('CANCELLED')
    expect(await run('send', 'valve', 'shut', '--idempotency-key', 'k1')).toMatchObject({ code: 1 })
  })

  test('--wait --json → reason and result byte for byte', async () => {
    const waiting = run('send', 'oven', 'bake', '--wait', '--json')
    const id = await eventually(async () => {
      const next = await broker.next('oven')
      expect(next).not.toBe(null)
      return next
    })
    const result = '{"big":12345678901234567890,"one":1.0}'
    await broker.raw(
      'POST',
      '/consumer/request/oven',
      `{"id":${id},"deliveryStatus":"COMPLETED","reason":"well done","result":${result}}`,
    )
    expect(await waiting).toEqual({
      code: 0,
      stdout: `{"id":${id},"deliveryStatus":"COMPLETED","reason":"well done","result":${result}}\n`,
      stderr: '',
    })
  })

  test('--wait: the command is parked → exit code 8; it expires → exit code 7', async () => {
    const parked = run('send', 'deaf', 'start', '--max-attempts', '1', '--wait')
    await eventually(async () => {
      expect(await broker.next('deaf')).not.toBe(null)
    })
    const polls = eventually(async () => {
      expect(await broker.next('deaf')).toBe(null)
    })
    expect(await parked).toMatchObject({
      code: 8,
      stdout: expect.stringMatching(/^\d+ UNKNOWN\n$/),
      stderr: '',
    })
    await polls
    const expired = await run('send', 'away', 'start', '--valid-seconds', '1', '--wait')
    expect(expired).toMatchObject({ code: 7, stdout: expect.stringMatching(/^\d+ CANCELLED\n$/), stderr: '' })
  })
})

describe('cancel', () => {
  test('a message that was never dispatched → CANCELLED', async () => {
    const id = await broker.send('idle', { command: 'start' })
    expect(await json('cancel', String(id))).toEqual([{ id, deliveryStatus: 'CANCELLED', handedOver: false }])
  })

  test('a message in flight → exit code 1 with the flag that helps; --force → CANCELLED', async () => {
    const id = await broker.send('taken', { command: 'start' })
    await broker.next('taken')
    expect(await run('cancel', String(id))).toEqual({
      code: 1,
      stdout: '',
      stderr: `waybill: Message ${id} was dispatched, and its device may have it. Add --force to cancel it anyway, or wait for its end.\n`,
    })
    expect(await run('cancel', String(id), '--force')).toEqual({
      code: 0,
      stdout: `${id} CANCELLED, but its device may have it\n`,
      stderr: '',
    })
  })

  test('a message that is settled, or unknown → exit code 1, or 5', async () => {
    const id = await broker.send('done', { command: 'start' })
    await broker.acknowledge('done', { id, deliveryStatus: 'COMPLETED' })
    expect(await run('cancel', String(id), '--force')).toMatchObject({ code: 1, stdout: '' })
    expect(await run('cancel', '999999')).toMatchObject({ code: 5, stdout: '' })
  })

  test('--device → its pending messages; dispatched ones with --force alone', async () => {
    const send = (command: string) => broker.send('many', { command })
    const [first, other, last] = [await send('start'), await send('stop'), await send('start')]
    await broker.next('many')
    expect((await run('cancel', '--device', 'many', '--command', 'start')).stdout).toBe(
      '1 cancelled\n1 were dispatched and stay pending: add --force to cancel them\n',
    )
    expect(await json('cancel', '--device', 'many', '--force')).toEqual([
      { cancelled: [first, other], handedOver: [first] },
    ])
    expect(await broker.status(last)).toBe('CANCELLED')
  })
})

describe('replay', () => {
  test('parked messages → listed; replayed by id, by device, all', async () => {
    const parked = async () => (await json('messages', '--parked')).map(({ id }) => id)
    const [one, two, three] = [await park('a'), await park('b'), await park('c')]
    expect(await parked()).toEqual(expect.arrayContaining([three, two, one]))
    expect(await json('replay', String(one))).toEqual([{ id: one, deliveryStatus: 'NOT_DELIVERED' }])
    expect(await json('replay', '--device', 'b')).toEqual([{ replayed: [two], skipped: 0 }])
    const left = await parked()
    expect(left).toContain(three)
    expect(left).not.toContain(two)
    expect((await run('replay', '--all', '--command', 'never')).stdout).toBe('0 replayed\n')
    expect((await run('replay', '--all')).stdout).toBe(`${left.length} replayed\n`)
    expect(await parked()).toEqual([])
    expect(await broker.status(three)).toBe('NOT_DELIVERED')
    expect(await run('replay', String(three))).toMatchObject({ code: 1, stdout: '' })
  })
})

test('device set: every setting, a wrong value, general → stored, refused, reset', async () => {
  const settings = {
    sendMessagePeriod: 5000,
    maxAttempts: 0,
    validSeconds: 60,
    finishSeconds: 600,
    nextAfter: 'COMPLETED',
    details: true,
    queueLimit: 10,
    queueBytes: 0,
    maxBytes: 2000,
    expectedSeconds: 3600,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => {
    return [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, String(value)]
  })
  expect(await json('device', 'set', 'gate', ...flags)).toEqual([settings])
  expect(await json('device', 'set', 'gate', '--details', 'false', '--next-after', 'DELIVERED')).toEqual([
    { ...settings, details: false, nextAfter: 'DELIVERED' },
  ])
  expect(await run('device', 'set', 'gate', '--details', 'yes')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^waybill: Parameter "details" is not valid: /),
  })
  expect(await run('device', 'set', 'gate', '--next-after', 'SOON')).toMatchObject({ code: 1, stdout: '' })
  expect(await run('device', 'set', 'other', '--next-after', 'COMPLETED')).toMatchObject({
    code: 1,
    stdout: '',
  })
  const reset = await run('device', 'set', 'gate', '--details', 'general', '--max-attempts', 'general')
  expect(reset.stdout).toMatch(/^maxAttempts +general$/m)
  expect((await run('devices', 'show', 'gate')).stdout).toContain(reset.stdout)
})

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

describe('simulate', () => {
  test.each(['0', '25'])(
    '--wait-seconds %s: a pending and a later command → both completed',
    async (wait) => {
      const name = `lamp-${wait}`
      const first = await broker.send(name, { command: 'on' })
      const device = run(
        'simulate',
        name,
        '--wait-seconds',
        wait,
        '--interval',
        '0.01',
        '--count',
        '2',
        '--json',
      )
      await eventually(async () => expect(await broker.status(first)).toBe('COMPLETED'))
      const second = await broker.send(name, { command: 'off' })
      const ended = await device
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(jsonLines(ended)).toEqual([
        { id: first, command: 'on', data: {}, deliveryStatus: 'COMPLETED', time: TIME },
        { id: second, command: 'off', data: {}, deliveryStatus: 'COMPLETED', time: TIME },
      ])
    },
  )

  test('--result and --reason → reported with the final status', async () => {
    const id = await broker.send('meter', { command: 'read' })
    const flags = ['--result', '{"one":1.0}', '--reason', 'as asked', '--count', '1']
    expect(await run('simulate', 'meter', ...flags)).toMatchObject({ code: 0 })
    const { text } = await broker.rest.get(`/admin/api/messages/${id}?details=true`)
    expect(text).toContain('"result":{"one":1.0}')
    expect(text).toContain('"reason":"as asked"')
  })

  test('--busy → the command comes again after the pause', async () => {
    const id = await broker.send('press', { command: 'go' })
    const { stdout } = await run('simulate', 'press', '--busy', '1', '--count', '1')
    expect(withoutTimes(stdout)).toBe(`${id} go {} busy for 1 s\n${id} go {} COMPLETED\n`)
  })
})

test('simulate over MQTT: --busy, --result and --reason → a pause, then the report', async () => {
  const mqtt = await BrokerUnderTest.start({ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
  const id = await mqtt.send('meter', { command: 'read' })
  const to = ['--url', mqtt.server.url, '--token', mqtt.token, '--mqtt', `mqtt://127.0.0.1:${mqtt.mqttPort}`]
  const flags = ['--busy', '1', '--result', '[1.0]', '--reason', 'as asked', '--count', '1']
  const { stdout } = await waybill('simulate', 'meter', ...to, ...flags)
  expect(withoutTimes(stdout)).toBe(`${id} read {} busy for 1 s\n${id} read {} COMPLETED\n`)
  const { text } = await mqtt.rest.get(`/admin/api/messages/${id}?details=true`)
  expect(text).toContain('"result":[1.0]')
  expect(text).toContain('"reason":"as asked"')
})

describe('audit', () => {
  test('filters → the lines that fit, newest first; more than a page with --limit', async () => {
    for (const name of ['first', 'second', 'third']) await broker.rest.put(`/admin/api/devices/${name}`, {})
    const lines = await json('audit', '--action', 'device.settings', '--client', 'admin', '--limit', '2')
    expect(lines.map(({ object }) => object)).toEqual(['third', 'second'])
    expect(await json('audit', '--since', '2100-01-01')).toEqual([])
    const { stdout } = await run('audit', '--action', 'device.settings', '--limit', '1')
    const [heading, line] = stdout.trim().split('\n')
    expect(heading).toMatch(/^ID +TIME +CLIENT +ADDRESS +ACTION +OBJECT +DETAIL$/)
    expect(line).toMatch(
      new RegExp(`^${lines[0]?.id} +20\\S+ \\S+ +admin +127.0.0.1 +device.settings +third +{}$`),
    )
  })

  test.each([
    ['--since', 'yesterday'],
    ['--action', 'client.eat'],
  ])('%s %s → exit code 2', async (flag, value) => {
    expect(await run('audit', flag, value)).toMatchObject({ code: 2, stdout: '' })
  })
})
