/** Incidents from signals: causes, merges, states, and the properties of `assign`. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { IncidentAck } from '../../src/broker/contract/incident-store.ts'
import { DAY_MS } from '../../src/broker/incidents/assign.ts'
import { DEFAULT_RULES } from '../../src/broker/incidents/incident-rules.ts'
import type { Signal } from '../../src/broker/incidents/signals.ts'
import { IncidentWorld, signalOf } from '../_support/incident-world.ts'
import { runs } from '../_support/runs.ts'

const failed = (deviceId: string, command = 'open', count = 1): Signal =>
  signalOf('FAILED', { deviceId, command, count, reason: 'valve stuck' })
const silent = (deviceId: string, awayMs = 900_000_000_000, gateway: string | null = null): Signal =>
  signalOf('DEVICE_SILENT', { deviceId, awayMs, sinceMs: awayMs, gateway })
const deaf = (deviceId: string): Signal => signalOf('DEVICE_DEAF', { deviceId, waiting: 20 })

const ids = (count: number, prefix = 'pump'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

const ack = (world: IncidentWorld, parts: Partial<IncidentAck> = {}): IncidentAck => {
  return { by: 'irina', atMs: world.nowMs, note: null, devices: 1, messages: 1, ...parts }
}

describe('causes', () => {
  test('the same command failed on several devices → one incident, with the numbers of both', () => {
    const world = new IncidentWorld()
    world.begin([failed('pump-1', 'open', 2), failed('pump-2'), failed('pump-1', 'close')])
    expect(world.open()).toEqual({
      'FAILED:close': ['FAILED:pump-1:close'],
      'FAILED:open': ['FAILED:pump-1:open', 'FAILED:pump-2:open'],
    })
    expect(world.byKey('FAILED:open')).toMatchObject({ kind: 'FAILED', devices: 2, messages: 3, waiting: 0 })
  })

  test('a device acknowledges nothing → its other signals join it, and its refused logins do not', () => {
    const world = new IncidentWorld()
    const parked = signalOf('PARKED', { deviceId: 'pump-7', command: 'open', count: 2 })
    const refused = signalOf('LOGIN_REFUSED', { address: '192.0.2.7', count: 5 })
    world.begin([deaf('pump-7'), parked, failed('pump-8'), refused])
    expect(world.open()).toEqual({
      'ADDRESS:192.0.2.7': ['LOGIN_REFUSED:192.0.2.7'],
      'DEVICE:pump-7': ['DEVICE_DEAF:pump-7', 'PARKED:pump-7:open'],
      'FAILED:open': ['FAILED:pump-8:open'],
    })
    expect(world.byKey('DEVICE:pump-7')).toMatchObject({ devices: 1, messages: 2, waiting: 20 })
  })

  test('the third command of a device fails → the incidents that have this device alone become one, the oldest', () => {
    const world = new IncidentWorld()
    world.begin([failed('pump-9', 'open'), failed('pump-1', 'open')])
    world.begin([failed('pump-9', 'open'), failed('pump-1', 'open'), failed('pump-9', 'read')])
    const { id } = world.byKey('FAILED:read')
    const three = [failed('pump-9', 'open'), failed('pump-1', 'open'), failed('pump-9', 'read')]
    world.begin([...three, failed('pump-9', 'close')])
    expect(world.open()).toEqual({
      'DEVICE:pump-9': ['FAILED:pump-9:close', 'FAILED:pump-9:read'],
      'FAILED:open': ['FAILED:pump-1:open', 'FAILED:pump-9:open'],
    })
    expect(world.byKey('DEVICE:pump-9').id).toBe(id)
  })

  test('the fifth device of a gateway becomes silent → one incident, which keeps the acknowledgement of the oldest', () => {
    const world = new IncidentWorld()
    const at = 900_000_000_000
    const four = ids(4).map((id, i) => silent(id, at + i * 60_000, 'gateway'))
    world.begin(four)
    expect(Object.keys(world.open())).toEqual(ids(4).map((id) => `AWAY:${id}`))
    const first = world.byKey('AWAY:pump-0')
    world.act('AWAY:pump-0', { state: 'ACKNOWLEDGED', ack: ack(world, { devices: 4 }) })
    world.begin([
      ...four,
      silent('pump-4', at + 840_000, 'gateway'),
      silent('far', at + 1_740_001, 'gateway'),
    ])
    expect(world.open()).toEqual({
      'AWAY:far': ['DEVICE_SILENT:far'],
      'OUTAGE:gateway': ids(5).map((id) => `DEVICE_SILENT:${id}`),
    })
    expect(world.byKey('OUTAGE:gateway')).toMatchObject({ id: first.id, state: 'ACKNOWLEDGED', devices: 5 })
    expect(world.byKey('AWAY:pump-3')).toMatchObject({ state: 'ENDED', mergedInto: first.id })
    expect(world.lines).toContainEqual([first.id, 'MERGED'])
  })

  test('five devices of a gateway become silent over more than 15 minutes → one incident each', () => {
    const world = new IncidentWorld()
    world.begin(ids(5).map((id, i) => silent(id, 900_000_000_000 + i * 226_000, 'gateway')))
    expect(Object.keys(world.open())).toHaveLength(5)
  })

  test('ten devices without a gateway are away → one incident; an eleventh joins it', () => {
    const world = new IncidentWorld()
    world.begin(ids(9).map((id) => silent(id)))
    expect(Object.keys(world.open())).toHaveLength(9)
    world.begin(ids(10).map((id) => silent(id)))
    expect(world.open()).toEqual({ AWAY: ids(10).map((id) => `DEVICE_SILENT:${id}`) })
    const long = signalOf('WAITING_LONG', { deviceId: 'pump-10', awayMs: 1, waiting: 430 })
    world.begin([...ids(10).map((id) => silent(id)), long])
    expect(Object.keys(world.open())).toEqual(['AWAY'])
    expect(world.byKey('AWAY').waiting).toBe(430)
  })

  test('four devices of a gateway are among ten that are away, and a fifth becomes silent → it joins the ten', () => {
    const world = new IncidentWorld()
    const ten = ids(10).map((id, i) => silent(id, 900_000_000_000, i < 4 ? 'gateway' : null))
    world.begin(ten)
    world.begin([...ten, silent('fifth', 900_000_000_001, 'gateway')])
    expect(Object.keys(world.open())).toEqual(['AWAY'])
    expect(world.byKey('AWAY').devices).toBe(11)
  })

  test('five devices of one network become silent → one incident; a gateway goes before the network', () => {
    const world = new IncidentWorld()
    const away = (deviceId: string, gateway: string | null) =>
      signalOf('DEVICE_SILENT', { deviceId, awayMs: 900_000_000_000, address: null, gateway })
    const plain = ids(5).map((id) => ({ ...away(id, null), address: '192.0.2.7' }))
    const behind = ['far-1', 'far-2'].map((id) => ({ ...away(id, 'gateway'), address: '192.0.2.7' }))
    world.begin([...plain, ...behind])
    expect(world.open()).toEqual({
      'AWAY:far-1': ['DEVICE_SILENT:far-1'],
      'AWAY:far-2': ['DEVICE_SILENT:far-2'],
      'OUTAGE:192.0.2.7': ids(5).map((id) => `DEVICE_SILENT:${id}`),
    })
  })

  test('devices that connect too often → one incident each; the fifth of a network → one, which the sixth joins', () => {
    const world = new IncidentWorld()
    const flapping = (deviceId: string, address: string | null = '192.0.2.7') => ({
      ...signalOf('FLAPPING', { deviceId, count: 20 }),
      address,
      key: `FLAPPING:${deviceId}`,
    })
    const four = [
      ...ids(4).map((id) => flapping(id)),
      flapping('other', '192.0.2.8'),
      flapping('unknown', null),
    ]
    world.begin(four)
    expect(Object.keys(world.open())).toEqual(['other', ...ids(4), 'unknown'].map((id) => `FLAPPING:${id}`))
    const six = [...four, flapping('pump-4'), flapping('pump-5')]
    world.begin(six.slice(0, -1))
    world.begin(six)
    expect(world.open()).toEqual({
      'FLAPPING:other': ['FLAPPING:other'],
      'FLAPPING:unknown': ['FLAPPING:unknown'],
      'OUTAGE:192.0.2.7': ids(6).map((id) => `FLAPPING:${id}`),
    })
    world.begin([...six, deaf('other')])
    expect(world.open()).toMatchObject({ 'DEVICE:other': ['DEVICE_DEAF:other', 'FLAPPING:other'] })
  })

  test('2,000 silent devices behind one gateway → one incident, in one change', () => {
    const world = new IncidentWorld()
    const signals = ids(2_000).map((id) => silent(id, 900_000_000_000, 'gateway'))
    expect(world.read(signals)).toEqual([])
    expect(world.read(signals)).toHaveLength(1)
    expect(world.byKey('OUTAGE:gateway')).toMatchObject({ devices: 2_000, kind: 'OUTAGE' })
  })

  test('a member of an outage gets a second signal when few are left → it joins the outage', () => {
    const world = new IncidentWorld()
    world.begin(ids(5).map((id) => silent(id, 900_000_000_000, 'gateway')))
    const one = silent('pump-0', 900_000_000_000, 'gateway')
    const long = signalOf('WAITING_LONG', { deviceId: 'pump-0', awayMs: 900_000_000_000, gateway: 'gateway' })
    for (let minute = 0; minute < 8; minute++) world.read([one], 60_000)
    world.begin([one, long])
    expect(world.open()).toEqual({ 'OUTAGE:gateway': ['DEVICE_SILENT:pump-0', 'WAITING_LONG:pump-0'] })
  })
})

describe('start and end', () => {
  test('a signal in one reading → no incident; in two → one; a condition of the server → at once', () => {
    const world = new IncidentWorld()
    expect(world.read([failed('pump'), signalOf('DISK_NEARLY_FULL')])).toHaveLength(1)
    expect(Object.keys(world.open())).toEqual(['DISK_NEARLY_FULL'])
    world.read([signalOf('DISK_NEARLY_FULL')])
    world.read([failed('pump'), signalOf('DISK_NEARLY_FULL')])
    expect(Object.keys(world.open())).toEqual(['DISK_NEARLY_FULL'])
    world.read([failed('pump'), signalOf('DISK_NEARLY_FULL')])
    expect(Object.keys(world.open())).toEqual(['DISK_NEARLY_FULL', 'FAILED:open'])
  })

  test('a signal is missing for less than the quiet time → the incident lasts; for the quiet time → it ends once', () => {
    const world = new IncidentWorld()
    world.begin([failed('pump', 'open', 7)])
    world.read([], 590_000)
    world.read([], 599_000)
    world.read([failed('pump', 'open', 7)], 500)
    world.read([], 10_000)
    world.read([], 599_999)
    expect(Object.keys(world.open())).toEqual(['FAILED:open'])
    world.read([], 1)
    expect(world.open()).toEqual({})
    expect(world.byKey('FAILED:open')).toMatchObject({ state: 'ENDED', messages: 7, devices: 1 })
    expect(world.lines.map(([, kind]) => kind)).toEqual(['STARTED', 'ENDED'])
  })

  test('members end one after the other → the ended incident has the largest numbers', () => {
    const world = new IncidentWorld()
    world.begin([failed('a', 'open', 3), failed('b')])
    for (let minute = 0; minute < 11; minute++) world.read([failed('b')], 60_000)
    expect(world.byKey('FAILED:open')).toMatchObject({ state: 'OPEN', messages: 1, devices: 1 })
    for (let minute = 0; minute < 11; minute++) world.read([], 60_000)
    expect(world.byKey('FAILED:open')).toMatchObject({ state: 'ENDED', messages: 4, devices: 2 })
  })

  test('the same key within a day → the same incident, reopened; later → a new one', () => {
    const world = new IncidentWorld()
    world.begin([deaf('pump')])
    const { id } = world.byKey('DEVICE:pump')
    world.read([], 10_000)
    world.read([], 60_000)
    world.begin([deaf('pump')])
    expect(world.byKey('DEVICE:pump')).toMatchObject({ id, state: 'OPEN', reopened: 1, endedMs: null })
    world.read([], 10_000)
    world.read([], 60_000)
    world.read([], DAY_MS)
    world.begin([deaf('pump')])
    expect(world.byKey('DEVICE:pump')).toMatchObject({ id: id + 1, reopened: 0 })
  })

  test('a process that began later does not know a signal → the incident lasts while the signal may last', () => {
    const world = new IncidentWorld()
    world.begin([deaf('pump')])
    world.mayLast = ({ kind }) => kind === 'DEVICE_DEAF'
    world.read([], 3_600_000)
    world.read([], 3_600_000)
    expect(Object.keys(world.open())).toEqual(['DEVICE:pump'])
    world.mayLast = () => false
    world.read([], 10_000)
    world.read([], 60_000)
    expect(world.open()).toEqual({})
  })
})

describe('persons', () => {
  test('resolved while its members last → it stays ended, until one of them doubles', () => {
    const world = new IncidentWorld()
    world.begin([failed('a', 'open', 2), failed('b')])
    world.act('FAILED:open', { state: 'ENDED', endedMs: world.nowMs })
    world.begin([failed('a', 'open', 3), failed('b')])
    expect(world.open()).toEqual({})
    world.read([failed('a', 'open', 4), failed('b')])
    expect(world.open()).toEqual({ 'FAILED:open': ['FAILED:a:open', 'FAILED:b:open'] })
    expect(world.byKey('FAILED:open').reopened).toBe(1)
  })

  test('resolved, and its members ended and began again → it is open again', () => {
    const world = new IncidentWorld()
    world.begin([failed('a')])
    world.act('FAILED:open', { state: 'ENDED', endedMs: world.nowMs })
    world.read([failed('a')])
    world.read([], 10_000)
    world.read([], 600_000)
    expect(world.open()).toEqual({})
    world.begin([failed('a')])
    expect(world.byKey('FAILED:open')).toMatchObject({ state: 'OPEN', reopened: 1 })
  })

  test('acknowledged, then twice as many and five more → open; twice as many alone → still acknowledged', () => {
    const world = new IncidentWorld()
    world.begin([failed('a')])
    world.act('FAILED:open', { state: 'ACKNOWLEDGED', ack: ack(world) })
    world.read([failed('a', 'open', 5)])
    expect(world.byKey('FAILED:open').state).toBe('ACKNOWLEDGED')
    world.read([failed('a', 'open', 6)])
    expect(world.byKey('FAILED:open').state).toBe('OPEN')
    expect(world.lines.at(-1)?.[1]).toBe('GREW')
  })

  test('acknowledged for a day without a line of a person → open, once', () => {
    const world = new IncidentWorld()
    world.begin([failed('a')])
    world.act('FAILED:open', { state: 'ACKNOWLEDGED', ack: ack(world) })
    world.read([failed('a')], DAY_MS - 1)
    expect(world.byKey('FAILED:open').state).toBe('ACKNOWLEDGED')
    world.read([failed('a')], 1)
    world.read([failed('a')], 1)
    expect(world.lines.map(([, kind]) => kind)).toEqual(['STARTED', 'REMINDED'])
  })

  test('muted → neither growth nor a day opens it, the date does', () => {
    const world = new IncidentWorld()
    world.begin([failed('a')])
    const mutedUntilMs = world.nowMs + 2 * DAY_MS
    world.act('FAILED:open', { state: 'MUTED', ack: ack(world), mutedUntilMs })
    world.read([failed('a', 'open', 60)], 2 * DAY_MS - 1)
    expect(world.byKey('FAILED:open').state).toBe('MUTED')
    world.read([failed('a', 'open', 60)], 1)
    expect(world.byKey('FAILED:open')).toMatchObject({ state: 'OPEN', mutedUntilMs: null })
  })
})

describe('writes', () => {
  test('a reading without a change → no write; a number alone → one write a minute', () => {
    const world = new IncidentWorld()
    world.begin([{ ...deaf('pump'), waiting: 1 }])
    expect(world.read([{ ...deaf('pump'), waiting: 1 }], 120_000)).toEqual([])
    expect(world.read([{ ...deaf('pump'), waiting: 2 }], 1)).toHaveLength(1)
    expect(world.read([{ ...deaf('pump'), waiting: 3 }], 59_999)).toEqual([])
    expect(world.read([{ ...deaf('pump'), waiting: 4 }], 1)).toHaveLength(1)
  })
})

const DEVICES = ids(7)
const signals: readonly Signal[] = [
  ...DEVICES.flatMap((id) => [silent(id, 900_000_000_000, 'gateway'), deaf(id)]),
  ...DEVICES.flatMap((id) => ['open', 'close', 'read'].map((command) => failed(id, command))),
  ...ids(12, 'kiosk').map((id) => silent(id)),
  ...ids(6, 'kiosk').map((id) => ({ ...signalOf('FLAPPING', { deviceId: id }), address: '192.0.2.9' })),
  signalOf('LOGIN_REFUSED', { address: '192.0.2.7', count: 5 }),
  signalOf('CLOCK_BEHIND'),
]

/** Sets of signals, one for each reading, with the time before it. */
const walks = fc.array(
  fc.record({
    present: fc.subarray([...signals]),
    afterMs: fc.constantFrom(10_000, 10_000, 60_000, 400_000, 4_000_000),
  }),
  { minLength: 1, maxLength: 25 },
)

describe('properties', () => {
  test('random signals → each has one incident, and none leaves its incident except by a merge', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const world = new IncidentWorld()
        for (const { present, afterMs } of walk) {
          const before = world.current()
          world.read(present, afterMs)
          const after = new Map(
            world.current().flatMap(({ incident, members }) => members.map(({ key }) => [key, incident.id])),
          )
          for (const { incident, members } of before) {
            const merged = world.incidents.get(incident.id)?.mergedInto
            for (const { key } of members) {
              const owner = after.get(key)
              if (owner !== undefined) expect(owner).toBe(merged ?? incident.id)
            }
          }
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('the signals of each reading in another order → the same incidents with the same members', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const [world, other] = [new IncidentWorld(), new IncidentWorld()]
        for (const { present, afterMs } of walk) {
          world.read(present, afterMs)
          other.read([...present].reverse(), afterMs)
          expect(other.open()).toEqual(world.open())
        }
        expect([...other.incidents.values()]).toEqual([...world.incidents.values()])
      }),
      { numRuns: runs(100) },
    )
  })

  test.each(Object.keys(DEFAULT_RULES) as (keyof typeof DEFAULT_RULES)[])(
    'flapping: %s comes and goes faster than its quiet time → one start and one end',
    (kind) => {
      fc.assert(
        fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (steps) => {
          const world = new IncidentWorld()
          const parts = kind === 'LOGIN_REFUSED' ? { address: '192.0.2.7' } : { deviceId: 'pump' }
          const isOfServer = ['STORAGE_FAILED', 'DISK_NEARLY_FULL', 'CLOCK_BEHIND', 'QUEUES_OPEN'].includes(
            kind,
          )
          const signal = signalOf(kind, isOfServer ? {} : { ...parts, command: 'open' })
          const quietMs = DEFAULT_RULES[kind].quietSeconds * 1_000
          world.begin([signal])
          // The source of LOGIN_REFUSED itself waits for an hour, so its signal has no quiet time.
          if (quietMs > 0)
            for (const isPresent of steps) {
              world.read(isPresent ? [signal] : [], quietMs / 2 - 1)
              world.read([signal], quietMs / 2)
            }
          world.read([], 10_000)
          world.read([], quietMs)
          world.read([], quietMs)
          expect(world.lines.map(([, line]) => line)).toEqual(['STARTED', 'ENDED'])
        }),
        { numRuns: runs(20) },
      )
    },
  )
})
