/**
 * Without a gap the next command goes out while the acknowledgement before it is on its way to the disk: a server that is
 * killed then gives a device at most three commands again, in their order, and loses none.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { attachStrace } from '../_support/strace.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

const SEED = seedOfRun()
const ROUNDS = 6
/** Commands that each round adds, of which it works off some. */
const COMMANDS = 12
const MOST_AGAIN = 3
/** Time enough to kill the server while it waits for its disk. */
const SLOW_SYNCS = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=100000']

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`SEED=${SEED}`)
})

test('what a device acknowledged while the server was killed comes again, three at most', async () => {
  const random = seeded(SEED)
  const env = { COMMON_SEND_MESSAGE_PERIOD: '0' }
  const dataDir = temporaryDirectory()
  const sent: number[] = []
  const confirmed = new Set<number>()
  /** How many of those that were sent the device has had. */
  let had = 0
  let mostAgain = 0
  let isSlow = false
  for (let round = 0; round < ROUNDS; round++) {
    const broker = await BrokerUnderTest.spawn({ mqtt: true, env, dataDir })
    const added = Array.from({ length: COMMANDS }, () => broker.send('pump', { command: 'go' }))
    sent.push(...(await Promise.all(added)).toSorted((a, b) => a - b))
    isSlow = (await attachStrace(broker.server.pid, SLOW_SYNCS)) !== null
    const device = await MqttPeer.connect({
      port: broker.mqttPort,
      username: 'admin',
      password: ADMIN_PASSWORD,
    })
    await device.subscribe('consumer/request/pump')
    const received: number[] = []
    // While the disk takes the note of the first one, the second one goes out: the kill finds an acknowledgement on its way.
    const last = round % 2 === 0 ? 2 : 1 + Math.floor(random() * COMMANDS)
    while (received.length < last) {
      const { id } = JSON.parse((await device.next()).text) as { id: number }
      expect(confirmed).not.toContain(id)
      received.push(id)
      void device.publish('consumer/response/pump', { id, deliveryStatus: 'COMPLETED' }).then(
        () => confirmed.add(id),
        () => {},
      )
    }
    await broker.server.kill('SIGKILL')
    await device.closed
    const first = sent.indexOf(received[0] as number)
    expect(received).toEqual(sent.slice(first, first + last))
    const again = had - first
    expect(again).toBeGreaterThanOrEqual(0)
    expect(again).toBeLessThanOrEqual(MOST_AGAIN)
    mostAgain = Math.max(mostAgain, again)
    had = first + last
  }
  // The last of a round comes again anyway: its acknowledgement need not have arrived.
  if (isSlow) expect(mostAgain).toBeGreaterThan(1)
})
