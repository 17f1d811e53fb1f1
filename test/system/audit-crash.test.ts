/** A server that changes clients, settings and messages is killed: each change is there with its line, or neither is. */
import { afterEach, expect, test, vi } from 'vitest'
import { hashPassword } from '../../src/auth/password.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { databaseIn, rowsOf } from '../_support/stored.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

const SEED = seedOfRun()
const ROUNDS = 5
/** Changes of each kind in a round. */
const CHANGES = 150

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`SEED=${SEED}`)
})

/** Returns the names that a query finds, in order. */
const namesOf = (dataDir: string, sql: string): string[] =>
  rowsOf<{ name: string }>(databaseIn(dataDir), `${sql} ORDER BY name`).map(({ name }) => name)

test('audit: killed at random moments → line and change both or none, and no answered change is lost', async () => {
  const random = seeded(SEED)
  const dataDir = temporaryDirectory()
  const password = await hashPassword('sesame')
  const answered: string[] = []
  const refused: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const broker = await BrokerUnderTest.spawn({ dataDir })
    const ids: number[] = []
    for (let n = 0; n < CHANGES; n++) ids.push(await broker.send('pump', { command: 'go' }))
    const last = answered.length + 1 + Math.floor(random() * CHANGES)
    const done = async (name: string, change: Promise<{ status: number }>): Promise<void> => {
      const { status } = await change
      // `allSettled` swallows what is thrown here.
      if (status >= 300) refused.push(`${name}: ${status}`)
      else answered.push(name)
      if (answered.length === last) void broker.server.kill('SIGKILL')
    }
    const changes = ids.flatMap((id) => {
      const name = `${round}-${id}`
      return [
        done(`client ${name}`, broker.rest.post('/admin/api/clients', { deviseId: name, password })),
        done(`device ${name}`, broker.rest.put(`/admin/api/devices/${name}`, { maxAttempts: 3 })),
        done(`message ${id}`, broker.rest.post(`/admin/api/messages/${id}/cancel`, {})),
      ]
    })
    await Promise.allSettled(changes)
    expect(refused).toEqual([])
    expect(answered.length).toBeGreaterThanOrEqual(last)
    await broker.server.kill('SIGKILL')
  }
  const changed = namesOf(
    dataDir,
    `SELECT 'client ' || device_id AS name FROM clients WHERE description <> 'first admin'
     UNION ALL SELECT 'device ' || device_id FROM device_settings
     UNION ALL SELECT 'message ' || id FROM messages WHERE status = 'CANCELLED'`,
  )
  const lines = namesOf(
    dataDir,
    `SELECT CASE action WHEN 'client.create' THEN 'client ' WHEN 'device.settings' THEN 'device ' ELSE 'message ' END
       || object AS name FROM audit`,
  )
  expect(lines).toEqual(changed)
  expect(answered.filter((name) => !lines.includes(name))).toEqual([])
  expect(lines.length).toBeLessThan(3 * ROUNDS * CHANGES)
})
