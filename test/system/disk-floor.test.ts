/** A disk that is nearly full: submits are refused, everything that ends a message still passes. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { DatabaseUnderTest } from '../_support/db-command.ts'
import { LIMIT_MS, WAIT_MS } from '../_support/limits.ts'
import { fill, mountSmallDisk, NO_SMALL_DISK } from '../_support/small-disk.ts'

vi.setConfig({ testTimeout: 2 * LIMIT_MS })

/** Repeats a submit until it has this status. The server reads the free space every 10 seconds. */
async function submitUntil(broker: BrokerUnderTest, status: number): Promise<Headers> {
  const submit = async (): Promise<Headers> => {
    const answer = await broker.request('pump', { command: 'start' })
    expect(answer.status).toBe(status)
    return answer.headers
  }
  return vi.waitFor(submit, { timeout: WAIT_MS, interval: 200 })
}

test('less than 50 MiB free → submits are 503, acknowledgements and cancellations pass; free again → submits pass', async ({
  skip,
}) => {
  const disk = mountSmallDisk(64)
  if (disk === null) return skip(NO_SMALL_DISK)
  const dataDir = join(disk, 'data')
  const broker = await BrokerUnderTest.start({ dataDir, unchecked: true })
  const first = await broker.send('pump', { command: 'start' })
  const second = await broker.send('pump', { command: 'stop' })

  const free = fill(disk, 20 * 1024 * 1024)
  const refused = await submitUntil(broker, 503)
  expect(refused.get('retry-after')).toBe('1')
  const again = await broker.rest.post(`/admin/api/messages/${first}/resend`, { force: true })
  expect(again.status).toBe(503)
  expect((await broker.acknowledge('pump', { id: first, deliveryStatus: 'COMPLETED' })).status).toBe(200)
  expect((await broker.rest.post(`/admin/api/messages/${second}/cancel`, {})).status).toBe(200)
  expect(await broker.status(second)).toBe('CANCELLED')

  free()
  await submitUntil(broker, 200)
  await broker.server.kill()
  const lines = broker.server.log.filter(({ code }) => code === 'storage-full')
  expect(lines).toMatchObject([
    { level: 'error', freeBytes: expect.any(Number) },
    { level: 'info', seconds: expect.any(Number) },
  ])
  expect(lines[1]?.refused).toBeGreaterThanOrEqual(2)
  expect(broker.server.log.filter(({ level }) => level === 'error')).toHaveLength(1)
  const stopped = new DatabaseUnderTest()
  stopped.dataDir = dataDir
  expect(await stopped.said('check')).toMatch(/\S/)
})
