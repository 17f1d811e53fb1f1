/** Tests what the storage keeps for alerts: failed messages in groups, and acknowledgements by people. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import { ACK_MS } from '../../src/broker/contract/alert-acks.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import { message } from '../_support/message.ts'
import type { StorageUnderTest } from './storage.ts'

const admin = { clientId: 'admin', keyId: null, address: '192.0.2.7' }
const LIMITS = { messages: 1_000_000, bytes: 0 }
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'

/** @param current returns the empty storage of the present test */
export function alertContract(current: () => StorageUnderTest): void {
  describe('alerts', () => {
    const put = async (deviceId: string, atMs: number, command = 'go') => {
      const { storage, clock } = current()
      clock.setWall(atMs)
      return (await storage.messages.enqueue(message({ deviceId, command }), LIMITS)).id
    }

    test('acknowledgements of alerts: put, replaced, removed → as written, after a restart too', async () => {
      const opened = current()
      const { alertAcks } = opened.storage
      opened.clock.setWall(ACK_MS)
      await alertAcks.put({ key: 'PARKED:old', by: null, count: null, note: null })
      opened.clock.setWall(2 * ACK_MS + 1)
      const ack = { key: `FAILED:${HOSTILE}`, by: 'admin', count: 31, note: HOSTILE }
      await alertAcks.put({ ...ack, count: 2 })
      await alertAcks.put(ack, entryOf(admin, 'alert.acknowledge', ack.key, { count: 31 }))
      expect(await alertAcks.all()).toEqual([{ ...ack, atMs: 2 * ACK_MS + 1 }])
      const reopened = await opened.reopen()
      expect(await reopened.alertAcks.all()).toEqual([{ ...ack, atMs: 2 * ACK_MS + 1 }])
      const entry = entryOf(admin, 'alert.reopen', ack.key)
      expect(await reopened.alertAcks.remove(ack.key, entry)).toBe(true)
      expect(await reopened.alertAcks.remove(ack.key, entry)).toBe(false)
      expect((await reopened.audit.list(EVERY_LINE, 9)).map(({ action }) => action)).toEqual([
        'alert.reopen',
        'alert.acknowledge',
      ])
    })

    test('state: failed messages → grouped by device, cause and command, without those that were sent again', async () => {
      const { messages, stats } = current().storage
      const fail = async (deviceId: string, atMs: number, command?: string) => {
        const messageId = await put(deviceId, atMs, command)
        const report = { ...NO_REPORT_TEXTS, reason: HOSTILE, result: null, resultDropped: false }
        const ack = { deviceId, messageId, by: null, report } as const
        await messages.acknowledge({ ...ack, status: 'COMPLETED_WITH_ERROR' })
        return messageId
      }
      await fail('pump', 1_000)
      await fail('pump', 2_000)
      const go = await fail('pump', 2_500)
      const lamp = await fail('lamp', 3_000)
      const last = await fail('pump', 4_000, HOSTILE)
      const resent = await fail('fan', 5_000)
      const again = { ...message({ deviceId: 'fan' }), links: { resentFrom: resent } }
      await messages.enqueue(again, LIMITS)
      expect(await stats.failures(2_000)).toEqual([
        {
          ...{ deviceId: 'pump', cause: null, count: 1, sinceMs: 4_000 },
          latest: { messageId: last, deviceId: 'pump', command: HOSTILE, reason: HOSTILE, atMs: 4_000 },
        },
        {
          ...{ deviceId: 'lamp', cause: null, count: 1, sinceMs: 3_000 },
          latest: { messageId: lamp, deviceId: 'lamp', command: 'go', reason: HOSTILE, atMs: 3_000 },
        },
        {
          ...{ deviceId: 'pump', cause: null, count: 2, sinceMs: 2_000 },
          latest: { messageId: go, deviceId: 'pump', command: 'go', reason: HOSTILE, atMs: 2_500 },
        },
      ])
      const newest = await stats.newest('COMPLETED_WITH_ERROR', 0, 9)
      expect(newest.map(({ deviceId }) => deviceId)).toEqual(['pump', 'lamp', 'pump', 'pump', 'pump'])
    })

    test('state: parked messages → apart from other failures, until they are sent again', async () => {
      const { messages, stats } = current().storage
      const messageId = await put('pump', 1_000)
      const lease = await messages.attach('pump', 'MQTT')
      await lease.claim(null, { durationsMs: [30_000], paced: false, deaf: false })
      await messages.park('pump', { messageId, number: 1 })
      const latest = { messageId, deviceId: 'pump', command: 'go', reason: null, atMs: 1_000 }
      const group = { deviceId: 'pump', cause: 'NOT_ACKNOWLEDGED', count: 1, sinceMs: 1_000, latest }
      expect(await stats.failures(0)).toEqual([group])
      expect(await stats.unknown(0)).toMatchObject([{ cause: 'NOT_ACKNOWLEDGED', count: 1 }])
      expect(await stats.unknown(0, ['lamp', HOSTILE])).toHaveLength(1)
      expect(await stats.unknown(0, ['lamp', 'pump'])).toEqual([])
      await messages.enqueue({ ...message({ deviceId: 'pump' }), links: { resentFrom: messageId } }, LIMITS)
      expect(await stats.failures(0)).toEqual([])
      expect(await stats.unknown(0)).toEqual([])
    })
  })
}
