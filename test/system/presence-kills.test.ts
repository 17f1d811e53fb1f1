/** A server is killed at random moments while devices connect, subscribe and poll: whatever was present is never shown as AWAY. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { ADMIN_PASSWORD } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'

interface Interval {
  readonly fromMs: number
  readonly toMs: number
}
interface Span {
  readonly state: string
  readonly fromDate: number
  readonly toDate: number
}

const seed = seedOfRun()

test(`presence: seed ${seed}, kill -9 while devices come and go → no connected time is AWAY, runs are LOST`, async () => {
  const draw = seeded(seed)
  const below = (limit: number): number => Math.floor(draw() * limit)
  const connected: Interval[] = []
  const beganMs = Date.now()
  const kills = runs(4)
  let dataDir: string | undefined
  for (let kill = 0; kill < kills; kill++) {
    const broker: BrokerUnderTest = await BrokerUnderTest.spawn({ mqtt: true, ...(dataDir && { dataDir }) })
    dataDir = broker.dataDir
    for (let step = 0; step < 1 + below(4); step++) {
      const device = await MqttPeer.connect({
        port: broker.mqttPort,
        username: 'admin',
        password: ADMIN_PASSWORD,
      })
      const fromMs = Date.now()
      if (below(2) === 0) await device.subscribe('consumer/request/admin')
      await broker.next('meter')
      // A read stores what the server knows so far.
      if (below(2) === 0) await presenceOf(broker, beganMs)
      const isLast = below(3) === 0
      connected.push({ fromMs, toMs: Date.now() })
      if (!isLast) await device.end()
      if (isLast) break
    }
    await broker.server.kill('SIGKILL')
  }
  const broker = await BrokerUnderTest.spawn({ mqtt: true, ...(dataDir && { dataDir }) })
  const { body } = await broker.rest.get(`/admin/api/runs?from=${beganMs}`)
  expect((body as unknown as { how: string | null }[]).map(({ how }) => how)).toEqual([
    null,
    ...Array.from({ length: kills }, () => 'LOST'),
  ])
  const away = (await presenceOf(broker, beganMs)).filter(({ state }) => state === 'AWAY')
  const wrong = connected.flatMap(({ fromMs, toMs }) =>
    away.filter(({ fromDate, toDate }) => fromDate < toMs && toDate > fromMs),
  )
  expect(wrong).toEqual([])
})

async function presenceOf(broker: BrokerUnderTest, fromMs: number): Promise<Span[]> {
  const { body } = await broker.rest.get(`/admin/api/devices/admin/presence?from=${fromMs}`)
  return (body as unknown as { spans: Span[] }).spans
}
