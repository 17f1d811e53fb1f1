/** Creates parked messages: a broker whose attempts end after a millisecond, and polls until the message is parked. */
import { expect } from 'vitest'
import type { BrokerUnderTest } from './broker.ts'
import { eventually } from './eventually.ts'

/** Settings with which an attempt ends after a millisecond. */
export const SHORT_ATTEMPTS = { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '1' }

/** Polls a device whose oldest message has `maxAttempts` 1 until that message is parked. */
export async function park(broker: BrokerUnderTest, deviceId: string, id: number): Promise<void> {
  expect(await broker.next(deviceId)).toBe(id)
  await eventually(async () => {
    await broker.poll(deviceId)
    expect(await broker.status(id)).toBe('UNKNOWN')
  })
}

/** Sends a message that is parked after one attempt, and parks it. @returns its id */
export async function sendAndPark(broker: BrokerUnderTest, deviceId: string, more = {}): Promise<number> {
  const id = await broker.send(deviceId, { command: 'go', maxAttempts: 1, ...more })
  await park(broker, deviceId, id)
  return id
}
