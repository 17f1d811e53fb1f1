/**
 * Kills a server without a pacing interval. The server dispatches the next command while the previous acknowledgement
 * is being synced. After a kill it redelivers at most three commands, in order, and loses none.
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
/** Commands that each round adds. The device acknowledges some of them. */
const COMMANDS = 12
const MOST_AGAIN = 3
/** Delays each sync, so that the server can be killed while it waits for the disk. */
const SLOW_SYNCS = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=100000']

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`SEED=${SEED}`)
})

test('pacing interval of 0: the server is killed during acknowledgements → at most three commands are redelivered', async () => {
  const random = seeded(SEED)
  const env = { COMMON_SEND_MESSAGE_PERIOD: '0' }
  const dataDir = temporaryDirectory()
  const sent: number[] = []
  const confirmed = new Set<number>()
  /** Number of sent commands that the device has received. */
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
    // The second command is dispatched while the first acknowledgement is being synced, so the kill finds it unsynced.
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
  // The last command of a round is redelivered anyway: its acknowledgement need not have arrived.
  if (isSlow) expect(mostAgain).toBeGreaterThan(1)
})
