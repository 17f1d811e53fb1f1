/** Causes random failures over REST, and reads their number from each place that shows it. */
import { expect } from 'vitest'
import type { BrokerUnderTest } from './broker.ts'
import { sendAndPark } from './parked.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Takes random steps that cause failures, and steps that revert them. @param random returns 0 to below 1 */
export async function failAtRandom(
  broker: BrokerUnderTest,
  random: () => number,
  steps: number,
): Promise<void> {
  const unknown: { id: number; deviceId: string }[] = []
  const takeUnknown = () => unknown.splice(Math.floor(random() * unknown.length), 1)[0]
  for (let step = 0; step < steps; step++) {
    // A device per step: a pending message of an earlier step would be in the way.
    const deviceId = `pump-${step}-${Math.floor(random() * 1e9)}`
    const choice = Math.floor(random() * 7)
    if (choice < 2) unknown.push({ deviceId, id: await sendAndPark(broker, deviceId) })
    else if (choice < 5) {
      const id = await broker.send(deviceId, { command: 'go' })
      if (choice === 2) await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
      else if (choice === 3) await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED' })
      else await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    } else {
      const each = takeUnknown()
      if (!each) continue
      const { id } = each
      if (choice === 5) await broker.rest.post(`/admin/api/messages/${id}/replay`, {})
      else {
        const deliveryStatus = random() < 0.5 ? 'COMPLETED' : 'COMPLETED_WITH_ERROR'
        await broker.acknowledge(each.deviceId, { id, deliveryStatus })
      }
    }
  }
}

/** Returns the failures of a day in the overview, the statistics, the count and the list. */
export async function failuresOfDay(broker: BrokerUnderTest): Promise<readonly number[]> {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await broker.rest.get(path)
    expect([path, status]).toEqual([path, 200])
    return body as T
  }
  const from = Math.floor((Date.now() - DAY_MS) / MINUTE_MS) * MINUTE_MS
  const { failed } = await get<{ failed: Record<string, number> }>('/admin/api/overview')
  const series = await get<{ fromDate: number; failed: (number | null)[] }>(
    `/admin/api/statistics?from=${from}&step=900000`,
  )
  const query = `outcome=FAILED&changedFrom=${series.fromDate}`
  const { count } = await get<{ count: number }>(`/admin/api/messages/count?${query}`)
  const list = await get<{ deliveryStatus: string }[]>(`/admin/api/messages?${query}&limit=500&details=true`)
  return [
    (failed.completedWithError ?? 0) + (failed.unknown ?? 0),
    series.failed.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    count,
    list.length,
  ]
}

/** Expects that each place shows the same number of failures. @returns the number */
export async function expectOneNumber(broker: BrokerUnderTest): Promise<number> {
  const [first = 0, ...others] = await failuresOfDay(broker)
  expect(others).toEqual([first, first, first])
  return first
}
