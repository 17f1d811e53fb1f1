/** The part of the storage contract about the audit trail: a line is written with its change, or not at all. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import type { AuditAction, AuditEntry } from '../../src/audit/audit.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { message } from '../_support/message.ts'
import { claimMessage, limits, type OpenStore, put, useStore } from './store-under-test.ts'

const BY = { clientId: 'admin', keyId: 7, address: '192.0.2.7' }
const entry = (action: AuditAction, object: string | null, detail: object = {}): AuditEntry =>
  entryOf(BY, action, object, { ...detail })

export function auditContract(open: OpenStore): void {
  describe('audit trail', () => {
    const store = useStore(open)

    /** Stores a message and parks it. @returns its id */
    const parked = async (): Promise<number> => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      const { message: taken } = await claimMessage(lease)
      await store.messages.park('pump', { messageId: id, number: taken.number })
      return id
    }

    test('audit: a message is stored with a line → the line has its id', async () => {
      const line = entry('message.resend', '1', { command: 'go' })
      const { id } = await store.messages.enqueue(message(), limits(10), line)
      expect(await store.audit()).toMatchObject([
        {
          by: BY,
          action: 'message.resend',
          object: '1',
          detail: { command: 'go', messageId: id },
          atMs: store.clock.wallMs(),
        },
      ])
    })

    test('audit: the message is refused, or repeats its key → no further line', async () => {
      const idempotency = { scope: '', key: 'k', fingerprint: 'f' }
      for (let n = 0; n < 2; n++) {
        await store.messages.enqueue(message({ idempotency }), limits(1), entry('message.resend', '1'))
      }
      const refused = store.messages.enqueue(message(), limits(1), entry('message.resend', '2'))
      await expect(refused).rejects.toMatchObject({ code: 'queue-full' })
      expect(await store.audit()).toMatchObject([{ object: '1' }])
    })

    test('audit: a cancellation → one line; of a dispatched message, or a second time → none', async () => {
      const [first, second] = [await store.put(), await store.put({ deviceId: 'lamp' })]
      await claimMessage(await store.messages.attach('lamp', 'MQTT'))
      for (const id of [first, first, second, 999]) {
        await store.messages.cancel(id, {
          by: 'admin',
          force: false,
          audit: entry('message.cancel', String(id)),
        })
      }
      expect((await store.audit()).map(({ object }) => object)).toEqual([String(first)])
    })

    test('audit: two cancel the same message at once → one line', async () => {
      const id = await store.put()
      const cancel = () =>
        store.messages.cancel(id, { by: 'admin', force: true, audit: entry('message.cancel', String(id)) })
      await Promise.all([cancel(), cancel()])
      expect(await store.audit()).toHaveLength(1)
    })

    test('audit: many are cancelled → one line with their number; none is → no line', async () => {
      await put(store.messages)
      await put(store.messages)
      const filter = { force: false, by: 'admin' }
      const cancelAll = () =>
        store.messages.cancelAll('pump', filter, { limit: 10_000, audit: entry('message.cancel', null) })
      await cancelAll()
      await cancelAll()
      expect((await store.audit()).map(({ detail }) => detail)).toEqual([{ count: 2 }])
    })

    test('audit: a cancellation of many meets an acknowledgement → the number of those that were cancelled', async () => {
      const id = await store.put()
      await store.put()
      const [, { cancelled }] = await Promise.all([
        store.complete(id),
        store.messages.cancelAll(
          'pump',
          { force: true, by: null },
          { limit: 10_000, audit: entry('message.cancel', null) },
        ),
      ])
      expect(await store.audit()).toMatchObject([{ detail: { count: cancelled.length } }])
    })

    test('audit: a replay → one line; a second time → none', async () => {
      const id = await parked()
      for (let n = 0; n < 2; n++) {
        await store.messages.replay(id, {
          by: 'admin',
          limits: limits(10),
          audit: entry('message.replay', String(id)),
        })
      }
      expect(await store.audit()).toMatchObject([
        { action: 'message.replay', object: String(id), detail: {} },
      ])
    })

    test('audit: all are replayed → one line with their number; none is → no line', async () => {
      await parked()
      const replayAll = () =>
        store.messages.replayAll(
          {},
          {
            by: 'admin',
            limitsOf: () => limits(10),
            limit: 500,
            audit: entry('message.replay', null, { deviceId: 'pump' }),
          },
        )
      await replayAll()
      await replayAll()
      expect((await store.audit()).map(({ detail }) => detail)).toEqual([{ deviceId: 'pump', count: 1 }])
    })

    test('audit: the settings of a device → one line', async () => {
      const line = entry('device.settings', 'pump', { maxAttempts: 3 })
      await store.messages.changeDeviceSettings('pump', { ...GENERAL_SETTINGS, maxAttempts: 3 }, line)
      expect(await store.audit()).toMatchObject([{ action: 'device.settings', object: 'pump' }])
    })

    test('audit: changes without a line → none', async () => {
      const id = await store.put()
      await store.messages.cancel(id, { by: null, force: false })
      await store.messages.cancelAll('pump', { force: false, by: null }, { limit: 10_000 })
      await store.messages.changeDeviceSettings('pump', GENERAL_SETTINGS)
      expect(await store.audit()).toEqual([])
    })
  })
}
