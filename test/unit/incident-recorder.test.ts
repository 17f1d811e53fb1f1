/** The recorder of incidents on a real SQLite database: readings, restarts, and persons who change an incident meanwhile. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { Recorder, type RecorderOptions } from '../../src/broker/incidents/recorder.ts'
import type { DevicePresence } from '../../src/broker/views/presence.ts'
import { SilentDevices } from '../../src/broker/views/silent-devices.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }

describe('recorder', () => {
  let store: TemporaryStore
  let clock: HeldClock
  let deaf: string[]
  let presence: DevicePresence
  let expectedSeconds: number | null
  let recorder: Recorder

  /** Starts a recorder, as a new process does. */
  function start(parts: Partial<RecorderOptions> = {}): Recorder {
    return new Recorder({ ...optionsOf(), ...parts })
  }

  function optionsOf(): RecorderOptions {
    return {
      store: store.incidents,
      presence: store.presence,
      facts: {
        store: store.stats,
        presence: { of: () => presence },
        rejections: { all: () => [] },
        silent: silentOf(['kiosk'], () => expectedSeconds),
        deaf: { all: () => deaf.map((deviceId) => ({ deviceId, sinceMs: clock.wallMs() })) },
        unanswered: { withAttempts: () => [] },
        refusedAnswers: { withCount: () => [] },
        pauses: { devicesWithoutSignals: () => new Set() },
        clockBehindMs: () => null,
        openQueueClients: () => null,
      },
      queues: () => store.devices.queues(),
      gatewayOf: () => null,
      networkOf: (address) => address,
      queueLimitOf: () => 1_000,
      keepsRejections: false,
      clock,
      log: { debug() {}, warn() {} },
    }
  }

  /** Returns the silent ones of devices with a setting, from the start of the process. */
  function silentOf(deviceIds: readonly string[], expected: () => number | null): SilentDevices {
    const of = () => ({ ...GENERAL_SETTINGS, expectedSeconds: expected() })
    return new SilentDevices({
      settings: { all: () => deviceIds.map((deviceId) => [deviceId, of()] as const), of },
      presence: { of: () => presence },
      directory: { ids: async () => [] },
      downtime: { msSince: () => 0 },
      expectedSeconds: 0,
      startedAtMs: clock.wallMs(),
    })
  }

  async function read(afterMs = 10_000): Promise<void> {
    clock.advance(afterMs)
    recorder.changed()
    await recorder.run()
  }

  const open = async () =>
    (await store.incidents.current(clock.wallMs()))
      .filter(({ incident }) => incident.endedMs === null)
      .map(({ incident }) => incident)

  const acknowledged = (deviceId: string): Transitioned => ({
    ...{ messageId: 1, deviceId, status: 'COMPLETED', cause: 'ACKNOWLEDGED' },
    ...{ replyTo: null, details: null, order: null },
  })

  beforeEach(() => {
    clock = new HeldClock(1_700_000_000_000)
    store = new TemporaryStore({ clock })
    deaf = []
    presence = { atMs: null, transport: null }
    expectedSeconds = null
    recorder = start()
  })

  test('five devices of one network become silent after their last connection → one incident with the network', async () => {
    const devices = Array.from({ length: 5 }, (_, i) => `meter-${i}`)
    const { runId } = await store.presence.begin('1.0.0')
    const ended = {
      transport: 'MQTT',
      beganAgeMs: 900,
      endedAgeMs: 800,
      receivesAgeMs: null,
      reason: 'CLOSED',
      detail: null,
    } as const
    const periods = devices.map((deviceId, number) => ({
      ...{ deviceId, number, ...ended, address: `192.0.2.${number}`, session: null, version: null },
    }))
    await store.presence.record(runId, { sightings: [], periods, events: [] }, 'ALIVE')
    const { facts } = optionsOf()
    recorder = start({
      facts: { ...facts, silent: silentOf(devices, () => 60) },
      networkOf: () => '192.0.2.0',
    })
    await read(61_000)
    await read()
    expect(await open()).toMatchObject([{ key: 'OUTAGE:192.0.2.0', devices: 5 }])
    const [outage] = await store.incidents.current(clock.wallMs())
    expect(outage?.members.map(({ address }) => address)).toEqual(devices.map(() => '192.0.2.0'))
  })

  test('a failed message → an incident after two readings, which ends when it was sent again', async () => {
    const { id } = await store.messages.enqueue(message({ deviceId: 'pump', command: 'open' }), LIMITS)
    const report = { ...NO_REPORT_TEXTS, reason: 'valve stuck', result: null, resultDropped: false }
    const ack = { deviceId: 'pump', messageId: id, by: null, report } as const
    await store.messages.acknowledge({ ...ack, status: 'COMPLETED_WITH_ERROR' })
    await read()
    expect(await open()).toEqual([])
    await read()
    expect(await open()).toMatchObject([{ key: 'FAILED:open', state: 'OPEN', messages: 1, devices: 1 }])
    const [{ id: incident } = { id: 0 }] = await open()
    expect(await store.incidents.members(incident, '', 9)).toMatchObject([
      { reason: 'valve stuck', messageId: id },
    ])
    await store.messages.enqueue({ ...message({ deviceId: 'pump' }), links: { resentFrom: id } }, LIMITS)
    await read()
    await read(600_000)
    expect(await open()).toEqual([])
    const lines = await store.incidents.lines(incident, 9)
    expect(lines.map(({ kind }) => kind)).toEqual(['STARTED', 'ENDED'])
  })

  test('2,500 devices become deaf at once → 1,000 new signals a reading, and the next readings come sooner', async () => {
    deaf = Array.from({ length: 2_500 }, (_, i) => `device-${i}`)
    await read()
    const opened: number[] = []
    for (let i = 0; i < 6; i++) {
      clock.advance(1_000)
      expect(await recorder.run()).toBe(i < 3 ? 1_000 : 10_000)
      opened.push((await open()).length)
    }
    expect(opened).toEqual([1_000, 1_000, 2_000, 2_000, 2_500, 2_500])
  })

  test('the process is paused for an hour during a reading → the next one comes as usual', async () => {
    clock.advance(10_000)
    const queues = () => {
      clock.advance(3_600_000)
      return store.devices.queues()
    }
    expect(await start({ queues }).run()).toBe(10_000)
  })

  test('persons change an incident during each of three readings → the next reading comes as usual', async () => {
    deaf = ['pump']
    await read()
    await read()
    let lost = 3
    const { incidents } = store
    const contested = Object.create(incidents, {
      current: { value: (sinceMs: number) => incidents.current(sinceMs) },
      write: {
        value: (...args: Parameters<typeof incidents.write>) =>
          lost-- > 0 ? null : incidents.write(...args),
      },
      rules: { value: () => incidents.rules() },
      isRecorder: { value: () => incidents.isRecorder() },
    })
    recorder = start({ store: contested })
    recorder.messageChanged(acknowledged('pump'))
    await read()
    deaf = []
    recorder.messageChanged(acknowledged('pump'))
    await read()
    expect(lost).toBe(0)
    clock.advance(10_000)
    await recorder.run()
    const [{ members } = { members: [] }] = await incidents.current(0)
    expect(members[0]?.missingSinceMs).toBe(clock.wallMs())
  })

  test('nothing changed → no reading before a minute has passed', async () => {
    await read()
    deaf = ['pump']
    for (let i = 0; i < 5; i++) {
      clock.advance(10_000)
      await recorder.run()
    }
    expect(recorder.reads.count).toBe(1)
    clock.advance(10_000)
    await recorder.run()
    expect(recorder.reads.count).toBe(2)
    // A signal that was found once is read again soon.
    clock.advance(10_000)
    await recorder.run()
    expect(await open()).toMatchObject([{ key: 'DEVICE:pump' }])
  })

  test('a restart → the incident of a deaf device lasts, until the device acknowledges', async () => {
    deaf = ['pump', 'lamp']
    await read()
    await read()
    await store.reopen()
    deaf = []
    recorder = start()
    await read()
    await read(3_600_000)
    await read(3_600_000)
    expect((await open()).map(({ key }) => key)).toEqual(['DEVICE:lamp', 'DEVICE:pump'])
    recorder.messageChanged(acknowledged('pump'))
    await read()
    await read(60_000)
    expect((await open()).map(({ key }) => key)).toEqual(['DEVICE:lamp'])
    await read(86_400_000)
    await read(60_000)
    expect(await open()).toEqual([])
  })

  test('a restart → the incident of a silent device lasts, until the device is seen', async () => {
    expectedSeconds = 60
    await read(60_000)
    await read()
    expect(await open()).toMatchObject([{ key: 'AWAY:kiosk' }])
    await store.reopen()
    expectedSeconds = 86_400
    recorder = start()
    await read()
    await read(3_600_000)
    await read(3_600_000)
    expect(await open()).toHaveLength(1)
    presence = { atMs: clock.wallMs(), transport: 'MQTT' }
    await read()
    await read(300_000)
    expect(await open()).toEqual([])
  })

  test('a person changes an incident during a reading → the reading is repeated, and the change stays', async () => {
    deaf = ['pump']
    await read()
    await read()
    deaf = []
    let changes = 1
    const { incidents } = store
    const interrupted = Object.create(incidents, {
      current: {
        value: async (sinceMs: number) => {
          const current = await incidents.current(sinceMs)
          const [{ incident } = { incident: null }] = current
          if (incident !== null && changes-- > 0) {
            const { id, changedMs, ...before } = incident
            const after = { ...before, state: 'ACKNOWLEDGED', changedMs: changedMs + 1 } as const
            const base = { id, changedMs }
            await incidents.write([{ before: base, after, members: [], movedKeys: [], lines: [] }])
          }
          return current
        },
      },
      write: { value: (...args: Parameters<typeof incidents.write>) => incidents.write(...args) },
      rules: { value: () => incidents.rules() },
      isRecorder: { value: () => incidents.isRecorder() },
    })
    recorder = start({ store: interrupted })
    recorder.messageChanged(acknowledged('pump'))
    await read()
    recorder.messageChanged(acknowledged('pump'))
    await read()
    expect(await open()).toMatchObject([{ key: 'DEVICE:pump', state: 'ACKNOWLEDGED' }])
    const [{ members } = { members: [] }] = await incidents.current(0)
    expect(members[0]?.missingSinceMs).toBe(clock.wallMs())
  })
})
