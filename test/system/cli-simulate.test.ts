/** `waybill simulate`: a device for experiments, over REST and over MQTT. */
import { beforeAll, describe, expect, test } from 'vitest'
import { restDevice } from '../../src/cli/device.ts'
import { mqttAddress } from '../../src/cli/mqtt-device.ts'
import { Client } from '../../src/client/index.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { withoutTimes } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'
import { runCommand, type Server, spawnCommand, startServer, unusedUrl } from '../_support/server.ts'

const ENV = { COMMON_SEND_MESSAGE_PERIOD: '0', COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '300' }

let broker: BrokerUnderTest
let env: Record<string, string>
let mqtt: string
beforeAll(async () => {
  const dataDir = await withClients('lamp')
  broker = await BrokerUnderTest.start({ mqtt: true, env: ENV, dataDir })
  env = envOf(broker.server)
  mqtt = `mqtt://127.0.0.1:${broker.mqttPort}`
})

const envOf = ({ url }: Server): Record<string, string> => ({
  WAYBILL_URL: url,
  WAYBILL_USER: 'admin',
  WAYBILL_PASSWORD: ADMIN_PASSWORD,
})
const simulate = (device: string, ...args: string[]) =>
  spawnCommand({ args: ['simulate', device, ...args], env })

async function becomes(id: number, status: string): Promise<void> {
  await eventually(async () => expect(await broker.status(id)).toBe(status))
}

describe.each([
  ['REST', () => ['--interval', '0.01']],
  ['MQTT', () => ['--mqtt', mqtt]],
  ['MQTT over WebSocket', () => ['--mqtt', `${broker.server.url.replace('http', 'ws')}/mqtt`]],
] as const)('over %s', (transport, by) => {
  test('a pending and a later command → both are completed and printed', async () => {
    const name = `quick ${transport}`
    const first = await broker.send(name, { command: 'go', data: { n: 1 } })
    const device = simulate(name, ...by(), '--count', '2', '--json')
    await becomes(first, 'COMPLETED')
    const sent = await runCommand({ args: ['send', name, 'stop', '--wait', '--json'], env })
    expect(sent).toMatchObject({ code: 0, stderr: '' })
    const { id: second } = JSON.parse(sent.stdout) as { id: number }
    const { code, stdout, stderr } = await device.exited
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      withoutTimes(stdout)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: first, command: 'go', data: { n: 1 }, deliveryStatus: 'COMPLETED' },
      { id: second, command: 'stop', data: {}, deliveryStatus: 'COMPLETED' },
    ])
  })

  test('data with line ends → printed as it was sent, on one line', async () => {
    const name = `exact ${transport}`
    const sent = (space: string): string =>
      `{"big":12345678901234567890,${space}"one":1.0, "z":{"a":"\\u00e9\\n"}}`
    const ids: number[] = []
    for (const args of [[], ['--json']]) {
      const body = `{"command":"go","data":${sent('\r\n')}}`
      const { id } = (await broker.request(name, body)).body as { id: number }
      ids.push(id)
      const { stdout } = await simulate(name, ...by(), '--count', '1', ...args).exited
      expect(withoutTimes(stdout)).toBe(
        args.length === 0
          ? `${id} go ${sent(' ')} COMPLETED\n`
          : `{"id":${id},"command":"go","data":${sent(' ')},"deliveryStatus":"COMPLETED"}\n`,
      )
    }
  })

  test('--fail → COMPLETED_WITH_ERROR', async () => {
    const name = `broken ${transport}`
    const device = simulate(name, ...by(), '--fail', '--count', '1')
    const { code, stdout } = await runCommand({ args: ['send', name, 'go', '--wait'], env })
    expect({ code, stdout }).toEqual({
      code: 6,
      stdout: expect.stringMatching(/^\d+ COMPLETED_WITH_ERROR\n$/),
    })
    expect(withoutTimes((await device.exited).stdout)).toMatch(/^\d+ go \{\} COMPLETED_WITH_ERROR\n$/)
  })

  test('--deaf → the same command again, not acknowledged', async () => {
    const name = `deaf ${transport}`
    const id = await broker.send(name, { command: 'go' })
    const { code, stdout } = await simulate(name, ...by(), '--deaf', '--count', '2').exited
    expect({ code, stdout: withoutTimes(stdout) }).toEqual({
      code: 0,
      stdout: `${id} go {} not acknowledged\n`.repeat(2),
    })
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test('--late → DELIVERED long before it is completed', async () => {
    const name = `late ${transport}`
    const id = await broker.send(name, { command: 'go' })
    const device = simulate(name, ...by(), '--late', '1000')
    await becomes(id, 'DELIVERED')
    expect((await device.kill()).stdout).toBe('')
  })

  test('the command is settled by another client → its status stays', async () => {
    const name = `other ${transport}`
    const id = await broker.send(name, { command: 'go' })
    const device = simulate(name, ...by(), '--late', '1', '--count', '1')
    await becomes(id, 'DELIVERED')
    await broker.acknowledge(name, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    const end = transport === 'REST' ? 'COMPLETED_WITH_ERROR' : 'not acknowledged'
    const { code, stdout } = await device.exited
    expect({ code, stdout: withoutTimes(stdout) }).toEqual({ code: 0, stdout: `${id} go {} ${end}\n` })
  })

  test('a token instead of a password → accepted', async () => {
    const name = `token ${transport}`
    const device = spawnCommand({
      args: ['simulate', name, ...by(), '--count', '1'],
      env: { WAYBILL_URL: broker.server.url, WAYBILL_TOKEN: broker.token },
    })
    const id = await broker.send(name, { command: 'go' })
    const { code, stdout } = await device.exited
    expect({ code, stdout: withoutTimes(stdout) }).toEqual({ code: 0, stdout: `${id} go {} COMPLETED\n` })
  })
})

test.each(['REST', 'MQTT'])(
  'simulate over %s: the server is killed and starts again → the device continues',
  async (transport) => {
    const options = { env: { ADMIN_PASSWORD, ...ENV }, dataDir: temporaryDirectory() }
    const first = await startServer({ ...options, args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0'] })
    const { mqtt: address } = (await first.logged((line) => typeof line.mqtt === 'string')) as {
      mqtt?: string
    }
    const by = transport === 'REST' ? ['--interval', '0.01'] : ['--mqtt', address as string]
    const client = new Client({
      url: first.url,
      credentials: { deviceId: 'admin', password: ADMIN_PASSWORD },
    })
    const device = spawnCommand({ args: ['simulate', 'patient', ...by, '--count', '2'], env: envOf(first) })
    await client.waitFor((await client.send('patient', 'one')).id)
    await first.kill('SIGKILL')
    const args = ['--host', first.url, '--mqtt', address as string].map((each) =>
      each.replace(/^\w+:\/\//, ''),
    )
    await startServer({ ...options, args })
    expect(await client.waitFor((await client.send('patient', 'two')).id)).toBe('COMPLETED')
    expect(await device.exited).toMatchObject({ code: 0 })
  },
)

test('simulate over REST: another client settled the command → that status is returned', async () => {
  const client = new Client({
    url: broker.server.url,
    credentials: { deviceId: 'admin', password: ADMIN_PASSWORD },
  })
  const id = await broker.send('polled', { command: 'go' })
  await broker.acknowledge('polled', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  expect(await restDevice(client, 'polled', { intervalMs: 1 }).acknowledge(id, 'COMPLETED')).toBe(
    'COMPLETED_WITH_ERROR',
  )
})

test.each([
  ['http://127.0.0.1:8080', 'mqtt://127.0.0.1:1883'],
  ['http://[::1]:8080/', 'mqtt://[::1]:1883'],
  ['https://broker.example', 'mqtts://broker.example:1883'],
])('--mqtt without an address: the server is %s → %s', (url, address) => {
  expect(mqttAddress(true, url)).toBe(address)
})

describe('exit code of simulate over MQTT', () => {
  test('an address or a device id that MQTT does not allow → 2', async () => {
    for (const [device, address, why] of [
      ['x', 'http://127.0.0.1:1883', '--mqtt: expected mqtt://HOST:PORT, not "http://127.0.0.1:1883"'],
      ['a/b', mqtt, '"a/b" has /, + or # and cannot use MQTT: leave out --mqtt'],
    ] as const) {
      const { code, stderr } = await simulate(device, '--mqtt', address).exited
      expect({ code, stderr }).toEqual({ code: 2, stderr: `waybill: ${why}\n` })
    }
  })

  test('no server listens → 3', async () => {
    const url = (await unusedUrl()).replace('http', 'mqtt')
    const { code, stderr } = await simulate('x', '--mqtt', url).exited
    expect({ code, stderr }).toEqual({ code: 3, stderr: `waybill: ${url} cannot be reached: ECONNREFUSED\n` })
  })

  test('a wrong password, no credentials, the client is deleted meanwhile → 4', async () => {
    const wrong = await simulate('x', '--mqtt', mqtt, '--password', 'wrong').exited
    expect(wrong).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^waybill: MQTT: Connection refused: /),
    })
    const anonymous = await runCommand({ args: ['simulate', 'x', '--mqtt', mqtt] })
    expect(anonymous.code).toBe(4)
    const lamp = simulate('lamp', '--mqtt', mqtt, '--user', 'lamp', '--password', PASSWORD)
    const id = await broker.send('lamp', { command: 'on' })
    await becomes(id, 'COMPLETED')
    await runCommand({ args: ['client', 'remove', 'lamp'], env })
    expect((await lamp.exited).code).toBe(4)
  })

  test("another client's queue, where each has its own queue only → 4", async () => {
    const own = await BrokerUnderTest.start({
      mqtt: true,
      env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true' },
      dataDir: await withClients('lamp'),
    })
    const address = `mqtt://127.0.0.1:${own.mqttPort}`
    const args = ['simulate', 'radio', '--mqtt', address, '--user', 'lamp', '--password', PASSWORD]
    const { code, stderr } = await runCommand({ args })
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(/^waybill: MQTT: Subscribe error/),
    })
  })
})
