/** The hand-over from rows: its parts, what is left out, and the whole text in both languages. */
import { expect, test } from 'vitest'
import type { HandoverIncident, HandoverRows } from '../../src/broker/contract/handover-store.ts'
import type { Run } from '../../src/broker/contract/presence-store.ts'
import type { StatisticsRow } from '../../src/broker/contract/statistics-store.ts'
import { handoverReport } from '../../src/broker/handover/handover-report.ts'
import { handoverText } from '../../src/broker/handover/handover-text.ts'
import { Handovers } from '../../src/broker/handover/handovers.ts'
import type { HandoverSources } from '../../src/broker/handover/parts.ts'
import { wordsOf } from '../../src/broker/handover/words.ts'
import { DELIVERY_BUCKETS, deliveryBucket } from '../../src/broker/vocabulary/delivery-buckets.ts'
import { HeldClock } from '../_support/clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** 15 January 2026, 20:00 in UTC. */
const FROM = Date.UTC(2026, 0, 15, 20)
const TO = FROM + 10 * HOUR

const NO_ROWS: HandoverRows = {
  ...{ incidents: [], failures: [], firstSeen: { total: 0, rows: [] }, returned: [], events: [] },
  ...{ services: [], serviceLines: [], notes: { total: 0, rows: [] }, changes: [], signIns: [] },
}

const RUN: Run = {
  ...{ id: 1, nodeId: null, release: '1.0.0', startedMs: FROM - DAY, aliveMs: TO, endedMs: null, how: null },
}

const sourcesOf = (
  rows: Partial<HandoverRows> = {},
  parts: Partial<HandoverSources> = {},
): HandoverSources => ({
  range: { fromMs: FROM, toMs: TO, beforeMs: FROM - 10 * HOUR },
  rows: { ...NO_ROWS, ...rows },
  silent: [],
  seenMsOf: () => null,
  runs: [RUN],
  figures: [],
  figuresFromMs: FROM,
  nowMs: TO,
  ...parts,
})

const incident = (id: number, parts: Partial<HandoverIncident> = {}): HandoverIncident => ({
  ...{ id, key: `FAILED:c${id}`, kind: 'FAILED', state: 'OPEN', startedMs: FROM, changedMs: FROM },
  ...{ endedMs: null, devices: 1, messages: 2, waiting: 0, mostDevices: 1, mostMessages: 2, ack: null },
  ...{ mutedUntilMs: null, reopened: 0, mergedInto: null, note: null },
  ...parts,
})

function row(atMs: number, stored: number, deliveryMs: number): StatisticsRow {
  const deliveries = new Array<number>(DELIVERY_BUCKETS).fill(0)
  deliveries[deliveryBucket(deliveryMs)] = 1
  return {
    ...{ atMs, stored, delivered: 1, completed: 2, failed: 3, unknown: 0, cancelled: 0, unacknowledged: 0 },
    ...{ pending: 0, upMs: 0, deliveries },
  }
}

const service = (deviceId: string, sinceMs: number, untilMs: number | null) => {
  return { deviceId, sinceMs, untilMs, reason: 'repair', by: 'anna' }
}

test('hand-over: incidents → the urgent first, ended ones last; a long mute from before is left out', () => {
  const muted = { state: 'MUTED', startedMs: 1 } as const
  const incidents = [
    incident(1, { state: 'ENDED', startedMs: 1, endedMs: FROM }),
    incident(2, { ...muted, mutedUntilMs: TO + DAY }),
    incident(3, { ...muted, mutedUntilMs: TO + DAY + 1 }),
    incident(4, { key: 'DEVICE:pump', kind: 'DEVICE', startedMs: 1, state: 'ACKNOWLEDGED' }),
    incident(5),
    incident(6, { state: 'ENDED', startedMs: FROM + 1, endedMs: FROM + 2 }),
  ]
  const part = handoverReport(sourcesOf({ incidents })).incidents
  expect(part.items.map(({ id }) => id)).toEqual([4, 5, 2, 1, 6])
  expect(part.total).toBe(5)
  expect(part.counts).toEqual([
    { kind: 'STARTED', count: 2 },
    { kind: 'ENDED', count: 2 },
    { kind: 'OPEN', count: 2 },
    { kind: 'MUTE_ENDS', count: 1 },
  ])
})

test('hand-over: more than 20 items → the first 20, and the number of all by kind', () => {
  const silent = Array.from({ length: 25 }, (_, i) => ({ deviceId: `d${i}`, sinceMs: FROM }))
  const firstSeen = { total: 30, rows: [{ deviceId: 'new', atMs: FROM }] }
  const { devices } = handoverReport(sourcesOf({ firstSeen }, { silent }))
  expect([devices.total, devices.items.length]).toEqual([55, 20])
  expect(devices.counts).toEqual([
    { kind: 'SILENT', count: 25 },
    { kind: 'FIRST_SEEN', count: 30 },
  ])
})

test('hand-over: devices → refusals of logins alone, counted; returned only if seen since', () => {
  const event = (kind: 'REFUSED' | 'FLAPPING', reason: string, lastMs: number, count: number) => ({
    ...{ deviceId: 'pump', kind, lastMs, count, detail: { reason, connects: 70 } },
  })
  const events = [
    event('REFUSED', 'WRONG_KEY', FROM + 2, 2),
    event('REFUSED', 'BAD_JSON', FROM + 2, 9),
    event('REFUSED', 'WRONG_CREDENTIALS', FROM + 1, 3),
    event('FLAPPING', 'CLOSED', FROM + 1, 100),
  ]
  const returned = ['seen', 'served', 'unknown'].map((deviceId) => ({
    deviceId,
    atMs: FROM + 5,
    sinceMs: 10_000,
  }))
  const times = new Map([
    ['seen', FROM],
    ['served', 10_400],
  ])
  const seenMsOf = (deviceId: string) => times.get(deviceId) ?? null
  const pump = { deviceId: 'pump', sinceMs: null }
  expect(handoverReport(sourcesOf({ events, returned }, { seenMsOf })).devices.items).toEqual([
    { ...pump, kind: 'FLAPPING', atMs: FROM + 1, count: 70, reason: null },
    { ...pump, kind: 'REFUSED', atMs: FROM + 2, count: 5, reason: 'WRONG_KEY' },
    { kind: 'RETURNED', deviceId: 'seen', atMs: FROM + 5, sinceMs: 10_000, count: null, reason: null },
  ])
})

test('hand-over: service → began, ended by a person or a date, ends soon, lasts long; the rest is left out', () => {
  const services = [
    service('long', FROM - 8 * DAY, null),
    service('soon', FROM - DAY, TO + DAY),
    service('plain', FROM - DAY, null),
    service('by-date', FROM - DAY, TO - 1),
    service('new', FROM, null),
  ]
  const lines = [
    { deviceId: 'back', atMs: FROM + 1, by: 'bob', detail: { end: true } },
    { deviceId: 'new', atMs: FROM, by: 'anna', detail: { reason: 'repair', untilDate: null } },
  ]
  const { items } = handoverReport(sourcesOf({ services, serviceLines: lines })).service
  expect(items.map(({ kind, deviceId, atMs }) => [kind, deviceId, atMs])).toEqual([
    ['BEGAN', 'new', FROM],
    ['ENDED', 'back', FROM + 1],
    ['ENDED', 'by-date', TO - 1],
    ['ENDS_SOON', 'soon', FROM - DAY],
    ['LASTS_LONG', 'long', FROM - 8 * DAY],
  ])
})

test('hand-over: runs → ends and starts in the range, the time without a server, another release', () => {
  const lost: Run = { ...RUN, aliveMs: FROM + HOUR, endedMs: FROM + 2 * HOUR, how: 'LOST' }
  const next: Run = { ...RUN, id: 2, release: '1.1.0', startedMs: FROM + 2 * HOUR }
  const disk = incident(9, { key: 'DISK_NEARLY_FULL', kind: 'DISK_NEARLY_FULL', startedMs: FROM - 1 })
  const { items } = handoverReport(sourcesOf({ incidents: [disk] }, { runs: [next, lost] })).server
  const plain = { nodeId: null, release: null, before: null, untilMs: null }
  expect(items).toEqual([
    { ...plain, kind: 'DISK_NEARLY_FULL', atMs: FROM - 1 },
    { ...plain, kind: 'LOST', atMs: FROM + HOUR, release: '1.0.0' },
    { ...plain, kind: 'WITHOUT_SERVER', atMs: FROM + HOUR, untilMs: FROM + 2 * HOUR },
    { ...plain, kind: 'STARTED', atMs: FROM + 2 * HOUR, release: '1.1.0' },
    { ...plain, kind: 'RELEASE', atMs: FROM + 2 * HOUR, release: '1.1.0', before: '1.0.0' },
  ])
})

test('hand-over: figures → sums beside those of the time before; null without records', () => {
  const none = { value: null, before: null }
  expect(handoverReport(sourcesOf()).figures.items[0]).toEqual({ kind: 'STORED', ...none })
  const figures = [row(FROM - HOUR, 5, 100), row(FROM, 7, 1_000), row(FROM + HOUR, 1, 1_000)]
  expect(handoverReport(sourcesOf({}, { figures })).figures.items).toEqual([
    { kind: 'STORED', value: 8, before: 5 },
    { kind: 'COMPLETED', value: 4, before: 2 },
    { kind: 'FAILED', value: 6, before: 3 },
    { kind: 'MEDIAN_DELIVERY_MS', value: expect.any(Number), before: expect.any(Number) },
  ])
})

/** A night in which everything happened. */
function night() {
  const ack = { by: 'anna', atMs: FROM, note: 'x', devices: 1, messages: 2 }
  const rows: Partial<HandoverRows> = {
    incidents: [
      incident(1, { key: 'FAILED:open', state: 'ACKNOWLEDGED', ack, note: 'a mechanic\ncomes' }),
      incident(2, { key: 'AWAY:kiosk', kind: 'AWAY', state: 'ENDED', endedMs: FROM + HOUR }),
    ],
    failures: [
      {
        ...{ command: 'open', cause: null, reason: 'stuck', count: 19, resent: 12, devices: 3, before: 2 },
        lastMs: FROM,
      },
      {
        command: 'go',
        cause: 'NOT_ACKNOWLEDGED',
        reason: null,
        count: 1,
        resent: 0,
        devices: 1,
        before: 0,
        lastMs: 1,
      },
    ],
    firstSeen: { total: 1, rows: [{ deviceId: 'new', atMs: FROM + HOUR }] },
    returned: [{ deviceId: 'lamp', atMs: FROM + 2 * HOUR, sinceMs: FROM }],
    events: [
      { deviceId: 'fan', kind: 'FLAPPING', lastMs: FROM + HOUR, count: 9, detail: { connects: 70 } },
      { deviceId: 'tap', kind: 'REFUSED', lastMs: FROM, count: 5, detail: { reason: 'WRONG_CREDENTIALS' } },
    ],
    services: [service('oven', FROM, TO + HOUR), service('mill', FROM - 9 * DAY, null)],
    serviceLines: [{ deviceId: 'saw', atMs: FROM, by: 'bob', detail: { end: true } }],
    notes: { total: 22, rows: [{ deviceId: 'oven', atMs: FROM, by: 'anna', text: 'ordered' }] },
    changes: [{ by: 'anna', action: 'message.resend', count: 12, lastMs: FROM }],
    signIns: [{ deviceId: 'bob', atMs: FROM + HOUR }],
  }
  const stopped: Run = { ...RUN, aliveMs: FROM, endedMs: FROM, how: 'STOPPED' }
  return handoverReport(
    sourcesOf(rows, {
      silent: [{ deviceId: 'kiosk', sinceMs: FROM - HOUR }],
      seenMsOf: () => TO,
      runs: [{ ...RUN, id: 2, startedMs: FROM + 5 * 60_000 }, stopped],
      figures: [row(FROM, 7, 0)],
    }),
  )
}

test('hand-over: text in English → whole', () => {
  const text = handoverText(night(), { words: wordsOf('en'), utcOffset: 0 })
  expect(text).toMatchInlineSnapshot(`
    "Hand-over: 2026-01-15 20:00 to 2026-01-16 06:00 (UTC+00:00)

    Incidents: started 2, ended 1, open 1
    - FAILED:open: acknowledged, since 01-15 20:00, devices 1, messages 2, waiting 0, by anna: a mechanic comes
    - AWAY:kiosk: ended 01-15 21:00, since 01-15 20:00, devices 1, messages 2, waiting 0

    Failed commands: failed 19, parked 1
    - open failed: 19, devices 3, before 2, sent again 12: stuck
    - go parked: 1, devices 1, before 0

    Devices: silent 1, connect too often 1, refused 1, returned 1, first seen 1
    - kiosk: silent since 01-15 19:00
    - fan: connected 70 times, last 01-15 21:00
    - tap: 5 logins refused, last 01-15 20:00: WRONG_CREDENTIALS
    - lamp: returned 01-15 22:00, silent since 01-15 20:00
    - new: first seen 01-15 21:00

    Out of service: began 1, ended 1, longer than 7 days 1, notes 22
    - oven: since 01-15 20:00, until 01-16 07:00, by anna: repair
    - saw: ended 01-15 20:00, by bob
    - mill: still since 01-06 20:00, by anna: repair
    - oven: note 01-15 20:00, by anna: ordered
    - and 21 more

    People: kinds of changes 1, signed in 1
    - anna: message.resend 12, last 01-15 20:00
    - bob: signed in 01-15 21:00

    Server
    - 01-15 20:00 stopped
    - 01-15 20:00 no server ran, until 01-15 20:05
    - 01-15 20:05 started, release 1.0.0

    Figures
    - stored: 7, before -
    - completed: 2, before -
    - failed: 3, before -
    - median delivery in ms: 5, before -
    "
  `)
})

test('hand-over: text in Russian, at an offset from UTC → whole', () => {
  const text = handoverText(night(), { words: wordsOf('ru'), utcOffset: 180 })
  expect(text).toMatchInlineSnapshot(`
    "Сдача смены: с 2026-01-15 23:00 по 2026-01-16 09:00 (UTC+03:00)

    Инциденты: начались 2, завершились 1, открыты 1
    - FAILED:open: принят, с 01-15 23:00, устройств 1, сообщений 2, ждёт 0, anna: a mechanic comes
    - AWAY:kiosk: завершён 01-16 00:00, с 01-15 23:00, устройств 1, сообщений 2, ждёт 0

    Неудачные команды: с ошибкой 19, приостановлены 1
    - open, с ошибкой: 19, устройств 3, до этого 2, отправлено снова 12: stuck
    - go, приостановлены: 1, устройств 1, до этого 0

    Устройства: не видно 1, подключаются слишком часто 1, отказы 1, вернулись 1, новые 1
    - kiosk: не видно с 01-15 22:00
    - fan: подключений 70, последнее 01-16 00:00
    - tap: отказов во входе 5, последний 01-15 23:00: WRONG_CREDENTIALS
    - lamp: снова на связи с 01-16 01:00, не было видно с 01-15 23:00
    - new: впервые 01-16 00:00

    Выведены из работы: начались 1, завершились 1, дольше 7 дней 1, заметки 22
    - oven: с 01-15 23:00, до 01-16 10:00, anna: repair
    - saw: снова в работе с 01-15 23:00, bob
    - mill: всё ещё, с 01-06 23:00, anna: repair
    - oven: заметка 01-15 23:00, anna: ordered
    - и ещё 21

    Люди: виды изменений 1, входы 1
    - anna: message.resend 12, последнее 01-15 23:00
    - bob: вход 01-16 00:00

    Сервер
    - 01-15 23:00 остановлен
    - 01-15 23:00 без сервера, до 01-15 23:05
    - 01-15 23:05 запущен, версия 1.0.0

    Показатели
    - сохранено: 7, до этого -
    - выполнено: 2, до этого -
    - с ошибкой: 3, до этого -
    - медиана доставки в мс: 5, до этого -
    "
  `)
})

test('hand-over: a text of a device → one line, at most 200 characters', () => {
  const text = `a\n- pump: silent\u2028${'x'.repeat(300)}`
  const notes = { total: 1, rows: [{ deviceId: 'p\r\nq', atMs: FROM, by: null, text }] }
  const report = handoverReport(sourcesOf({ notes }))
  const written = handoverText(report, { words: wordsOf('en'), utcOffset: 0 })
  const line = written.split('\n').find((each) => each.startsWith('- p'))
  expect(line).toBe(`- p q: note 01-15 20:00: a - pump: silent ${'x'.repeat(183)}…`)
})

test('hand-over: text west of UTC → the dates there, and the offset in the heading', () => {
  const text = handoverText(handoverReport(sourcesOf()), { words: wordsOf('en'), utcOffset: -210 })
  expect(text.split('\n')[0]).toBe('Hand-over: 2026-01-15 16:30 to 2026-01-16 02:30 (UTC-03:30)')
})

test('hand-over: from the last visit → at most 31 days; statistics in steps that are kept', async () => {
  const ranges: unknown[] = []
  const steps: number[] = []
  const handovers = new Handovers({
    store: {
      async read(range) {
        ranges.push(range)
        return NO_ROWS
      },
    },
    presenceStore: { runs: async () => [] },
    recorder: { flushChanges: async () => {} },
    statistics: {
      flush: async () => {},
      store: {
        async rows(step) {
          steps.push(step)
          return []
        },
      },
    },
    logins: { write: async () => {}, previous: async (id) => (id === 7 ? FROM - 40 * DAY : FROM) },
    silent: { at: async () => [] },
    pauses: { devicesWithoutSignals: () => new Set() },
    presence: { of: () => ({ atMs: null, transport: null }) },
    clock: new HeldClock(TO),
  })
  expect(await handovers.read({ from: 'last', clientId: 7 })).toMatchObject({
    fromMs: TO - 31 * DAY,
    toMs: TO,
  })
  expect(await handovers.read({ from: 'last', clientId: 8 })).toMatchObject({ fromMs: FROM, toMs: TO })
  expect(ranges[1]).toEqual({ fromMs: FROM, toMs: TO, beforeMs: FROM - 10 * HOUR })
  expect(steps).toEqual([HOUR, 60_000])
  const ahead = { from: FROM, to: Number.MAX_SAFE_INTEGER, clientId: null }
  expect(await handovers.read(ahead)).toMatchObject({ fromMs: FROM, toMs: TO })
  await expect(handovers.read({ from: TO, to: TO + 1, clientId: null })).rejects.toMatchObject({
    code: 'bad-range',
  })
  await expect(handovers.read({ from: 'last', clientId: null })).rejects.toMatchObject({ code: 'bad-range' })
})
