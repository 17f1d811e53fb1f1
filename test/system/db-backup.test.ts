/** `waybill db backup` while a server runs. */
import { expect, test } from 'vitest'
import { DatabaseUnderTest, idsIn } from '../_support/db-command.ts'

test('db backup: the server is under load → its state at one moment', async () => {
  const db = new DatabaseUnderTest()
  const broker = await db.spawn()
  const answered: number[] = []
  let stop = false
  const produce = async (): Promise<void> => {
    while (!stop) answered.push(await broker.send('pump', { command: 'start' }))
  }
  await broker.send('pump', { command: 'start' })
  const load = Promise.all(Array.from({ length: 16 }, produce))
  const before = await broker.send('pump', { command: 'start' })
  await db.spawned('backup', db.backup)
  const last = answered.at(-1) as number
  stop = true
  await load

  const ids = idsIn(db.backup)
  expect(ids).toEqual(ids.map((_, i) => i + 1))
  expect(ids.length).toBeGreaterThanOrEqual(before)
  expect(last).toBeGreaterThan(before)
})
