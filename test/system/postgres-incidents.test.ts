/** Incidents of several nodes on one PostgreSQL: one node records, and another one after its end. */
import { expect, test } from 'vitest'
import { eventually } from '../_support/eventually.ts'
import { NodesUnderTest, SHORT } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

test('two nodes → one records; the first one ends → the second one records', async () => {
  const nodes = new NodesUnderTest(postgresServer())
  const first = await nodes.open({ times: SHORT })
  const second = await nodes.open({ times: SHORT })
  expect(await first.incidents.isRecorder()).toBe(true)
  expect(await second.incidents.isRecorder()).toBe(false)
  expect(await first.incidents.isRecorder()).toBe(true)
  await first.close()
  await eventually(async () => expect(await second.incidents.isRecorder()).toBe(true))
})
