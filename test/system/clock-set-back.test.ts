/** A server whose system clock is set back by libfaketime: its devices keep receiving commands. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const LIBRARY = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path))

if (LIBRARY === undefined) {
  if (process.env.CI)
    throw new Error('No libfaketime: the clock cannot be set back. apt-get install faketime')
  process.stderr.write('The tests of a clock that is set back are left out: there is no libfaketime here.\n')
}

const INTERVAL_MS = 200
/** Duration of a delay, a pause and a finish time. */
const SHORT_SECONDS = 2

class SteppingClock {
  readonly #file = join(temporaryDirectory(), 'clock')

  constructor() {
    this.set('+0d')
  }

  /** Sets the system clock of the server, as an operator or NTP does. Its monotonic clock continues. */
  set(offset: string): void {
    writeFileSync(this.#file, offset)
  }

  get env(): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARY as string,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      APP_SECURITY_PERMIT_ALL: 'true',
      COMMON_SEND_MESSAGE_PERIOD: String(INTERVAL_MS),
    }
  }
}

const connect = async (broker: BrokerUnderTest): Promise<MqttPeer> => {
  const device = await MqttPeer.connect({ port: broker.mqttPort, username: 'pump', password: 'x' })
  await device.subscribe('consumer/request/pump')
  return device
}

/** Receives a command and completes it. Returns its id and the server's time. */
async function serve(device: MqttPeer): Promise<{ id: number; currentTimestamp: number }> {
  const command = JSON.parse((await device.next()).text)
  await device.publish('consumer/response/pump', { id: command.id, deliveryStatus: 'COMPLETED' })
  return command
}

describe.skipIf(LIBRARY === undefined).each([
  ['one day', '-1d', 86_400_000],
  ['60 days', '-60d', 60 * 86_400_000],
])('a system clock that is set back by %s', (_, offset, offsetMs) => {
  test('the server runs on → a connected device receives the next command', async () => {
    const clock = new SteppingClock()
    const broker = await BrokerUnderTest.spawn({ env: clock.env, mqtt: true })
    const device = await connect(broker)
    const first = await broker.send('pump', { command: 'go' })
    const before = await serve(device)
    expect(before.id).toBe(first)

    clock.set(offset)
    const second = await broker.send('pump', { command: 'go' })
    const after = await serve(device)
    expect(after.id).toBe(second)
    // The clock of the server was indeed set back.
    expect(before.currentTimestamp - after.currentTimestamp).toBeGreaterThan(offsetMs / 2)
  })

  test('the server restarts → a device that comes back receives its command', async () => {
    const clock = new SteppingClock()
    const broker = await BrokerUnderTest.spawn({ env: clock.env, mqtt: true })
    await broker.send('pump', { command: 'go' })
    await serve(await connect(broker))
    await broker.server.kill()

    clock.set(offset)
    const again = await BrokerUnderTest.spawn({ env: clock.env, mqtt: true, dataDir: broker.dataDir })
    const second = await again.send('pump', { command: 'go' })
    expect((await serve(await connect(again))).id).toBe(second)
  })
})

describe.skipIf(LIBRARY === undefined)('a system clock that is set back by one hour', () => {
  const setBack = (clock: SteppingClock) => clock.set('-1h')
  const restarted = async (
    broker: Awaited<ReturnType<typeof BrokerUnderTest.spawn>>,
    clock: SteppingClock,
  ) => {
    await broker.server.kill()
    setBack(clock)
    return BrokerUnderTest.spawn({ env: clock.env, mqtt: true, dataDir: broker.dataDir })
  }
  const start = async () => {
    const clock = new SteppingClock()
    return { clock, broker: await BrokerUnderTest.spawn({ env: clock.env, mqtt: true }) }
  }

  test('a command is delayed, the server runs on → a connected device receives it after its delay', async () => {
    const { clock, broker } = await start()
    const device = await connect(broker)
    const id = await broker.send('pump', { command: 'go', delaySeconds: SHORT_SECONDS })
    setBack(clock)

    expect((await serve(device)).id).toBe(id)
  })

  test('a command is delayed, the server restarts → the device receives it after its delay', async () => {
    const { clock, broker } = await start()
    const id = await broker.send('pump', { command: 'go', delaySeconds: SHORT_SECONDS })
    const again = await restarted(broker, clock)

    expect((await serve(await connect(again))).id).toBe(id)
  })

  test('a device asked for a pause, the server restarts → it receives its command after the pause', async () => {
    const { clock, broker } = await start()
    const id = await broker.send('pump', { command: 'go' })
    await broker.acknowledge('pump', { busySeconds: SHORT_SECONDS })
    const again = await restarted(broker, clock)

    expect((await serve(await connect(again))).id).toBe(id)
  })

  test('a command is unfinished, the server restarts → a poll returns the next one after the finish time', async () => {
    const { clock, broker } = await start()
    const first = await broker.send('pump', { command: 'go', finishSeconds: SHORT_SECONDS })
    const second = await broker.send('pump', { command: 'go' })
    const settings = { nextAfter: 'COMPLETED', finishSeconds: SHORT_SECONDS }
    expect((await broker.rest.put('/admin/api/devices/pump', settings)).status).toBe(200)
    await broker.acknowledge('pump', { id: first, deliveryStatus: 'DELIVERED' })
    const again = await restarted(broker, clock)

    await eventually(async () => {
      const { body } = await again.rest.get('/consumer/getLastMessage/pump')
      expect(body).toMatchObject([{ id: second }])
    })
  })
})
