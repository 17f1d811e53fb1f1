/** The part of the storage contract about devices that a person took out of service. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import type { NewService } from '../../src/broker/contract/device-service.ts'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import { claimMessage, expectEvent, type OpenStore, recordEvents, useStore } from './store-under-test.ts'

const HOUR_MS = 3_600_000
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'
const BY = { clientId: 'admin', keyId: null, address: '192.0.2.7' }

export function serviceContract(open: OpenStore): void {
  describe('service', () => {
    const store = useStore(open)
    const change = async (
      deviceId: string,
      service: Partial<NewService> | null,
      node: MessageStore = store.messages,
    ) => {
      const full = service && { untilMs: null, reason: 'repair', by: 'irina', ...service }
      const audit = entryOf(BY, 'device.service', deviceId)
      const [outcome] = await node.changeService([{ deviceId, service: full, audit }])
      return outcome
    }
    const out = async (node = store.messages) => Object.fromEntries(await node.devicesOutOfService())
    const auditObjects = async () => (await store.audit()).map(({ object }) => object)

    test('service: two devices, one with an end → as written, also after a reopen and a kill', async () => {
      const sinceMs = store.clock.wallMs()
      await change('pump', { reason: HOSTILE, by: null })
      await change(HOSTILE, { untilMs: sinceMs + HOUR_MS })
      store.clock.advance(1_000)
      const expected = {
        pump: { sinceMs, untilMs: null, reason: HOSTILE, by: null, forMs: null },
        [HOSTILE]: {
          ...{ sinceMs, reason: 'repair', by: 'irina' },
          untilMs: sinceMs + HOUR_MS,
          forMs: HOUR_MS - 1_000,
        },
      }
      expect(await out()).toEqual(expected)
      await store.reopen()
      expect(await out()).toEqual(expected)
    })

    test('service: the date of the end has come → in service, also after a reopen; a later start is a new one', async () => {
      const nowMs = store.clock.wallMs()
      await change('pump', { untilMs: nowMs + 1_000 })
      store.clock.advance(1_000)
      expect(await out()).toEqual({})
      await store.reopen()
      expect(await out()).toEqual({})

      expect(await change('pump', null)).toEqual({ deviceId: 'pump', service: null, isChanged: false })
      await change('pump', {})
      expect(await out()).toMatchObject({ pump: { sinceMs: nowMs + 1_000 } })
    })

    test('service: a second change → it replaces end, reason and client, and keeps the start', async () => {
      const sinceMs = store.clock.wallMs()
      await change('pump', {})
      store.clock.advance(500)
      const untilMs = sinceMs + HOUR_MS
      const outcome = await change('pump', { untilMs, reason: 'parts', by: 'boss' })
      const service = { sinceMs, untilMs, reason: 'parts', by: 'boss', forMs: HOUR_MS - 500 }
      expect(outcome).toEqual({ deviceId: 'pump', service, isChanged: true })
      await store.reopen()
      expect(await out()).toEqual({ pump: service })
    })

    test('service: the end by a person → in service, also after a reopen', async () => {
      await change('pump', {})
      expect(await change('pump', null)).toEqual({ deviceId: 'pump', service: null, isChanged: true })
      expect(await out()).toEqual({})
      await store.reopen()
      expect(await out()).toEqual({})
    })

    test('service: many devices in one call → an outcome each; without effect no audit line and no event', async () => {
      await change('b', {})
      const events = recordEvents(store.messages)
      const service = { untilMs: null, reason: 'repair', by: 'boss' }
      const outcomes = await store.messages.changeService(
        ['a', 'b', 'c'].map((deviceId) => ({
          ...{ deviceId, service: deviceId === 'c' ? null : service },
          audit: entryOf(BY, 'device.service', deviceId, { reason: HOSTILE }),
        })),
      )
      expect(outcomes.map(({ deviceId, isChanged }) => [deviceId, isChanged])).toEqual([
        ['a', true],
        ['b', false],
        ['c', false],
      ])
      expect(await auditObjects()).toEqual(['b', 'a'])
      expect((await store.audit()).at(-1)).toMatchObject({
        action: 'device.service',
        detail: { reason: HOSTILE },
      })
      const reported = events.flatMap((event) => (event.is === 'service' ? [event.deviceId] : []))
      expect(reported).toContain('a')
      expect(reported).not.toContain('c')
      expect(Object.keys(await out()).toSorted()).toEqual(['a', 'b'])
    })

    test('service: an attempt over a lease runs → it ends as BUSY and does not count; the message is next', async () => {
      const messageId = await store.put()
      await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      await change('pump', {})

      expect((await store.messages.line('pump')).attempt).toBeNull()
      expect(await store.attempts(messageId)).toEqual([[1, 'MQTT', 'BUSY']])
      await change('pump', null)
      expect((await claimMessage(lease)).message).toMatchObject({ id: messageId, number: 2, counted: 1 })
    })

    test('service: the attempt of a poll runs → it ends as BUSY', async () => {
      const id = await store.put()
      await store.poll()
      await change('pump', {})

      expect(await store.attempts(id)).toEqual([[1, 'REST', 'BUSY']])
      await change('pump', null)
      expect((await store.poll()).message).toMatchObject({ number: 2, counted: 1 })
    })

    test('service: it ends, or another device is out of service → an attempt runs on', async () => {
      const id = await store.put()
      await change('valve', {})
      await store.poll()
      await change('valve', null)
      await change('pump', null)

      expect((await store.messages.line('pump')).attempt).toMatchObject({ messageId: id })
    })

    test('service: it begins and ends, ten times → reported to this node before each call resolves', async () => {
      const events = recordEvents(store.messages)
      for (let n = 0; n < 10; n++) {
        const { service } = (await change('pump', {})) ?? {}
        expect(events.at(-1)).toEqual({ is: 'service', deviceId: 'pump', service })
        await change('pump', null)
        expect(events.at(-1)).toEqual({ is: 'service', deviceId: 'pump', service: null })
      }
    })

    test('service: a pause of the device → independent of its service', async () => {
      await change('pump', {})
      await store.messages.setBusy('pump', 60_000)
      await change('pump', null)
      expect([...(await store.messages.busyDevices())]).toEqual([['pump', 60_000]])
      await change('pump', {})
      await store.messages.setBusy('pump', 0)
      expect(Object.keys(await out())).toEqual(['pump'])
    })

    test('service: the clock is set back → it ends after its whole duration at the latest', async () => {
      const nowMs = store.clock.wallMs()
      await change('pump', { untilMs: nowMs + 5_000 })
      store.clock.advance(2_000)
      store.clock.setWall(nowMs - HOUR_MS)
      for (const step of ['runs on', 'reopen']) {
        if (step === 'reopen') await store.reopen()
        const { forMs } = (await out()).pump ?? {}
        expect(forMs).toBeGreaterThan(0)
        expect(forMs).toBeLessThanOrEqual(5_000)
      }
    })

    test('two nodes: the other node changes the service → reported, and the attempt here ends as BUSY', async ({
      skip,
    }) => {
      if (!store.second) return skip('the driver has one node')
      const second = await store.second()
      const events = recordEvents(store.messages)
      const id = await store.put()
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      await change('pump', { reason: HOSTILE }, second)
      const service = expect.objectContaining({ reason: HOSTILE, by: 'irina', forMs: null })
      await expectEvent(events, { is: 'service', deviceId: 'pump', service })
      expect(await store.attempts(id)).toEqual([[1, 'MQTT', 'BUSY']])
      expect(await out()).toMatchObject({ pump: { reason: HOSTILE } })
      await change('pump', null, second)
      await expectEvent(events, { is: 'service', deviceId: 'pump', service: null })
    })
  })
}
