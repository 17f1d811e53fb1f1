/** Spans of presence from periods and runs: several nodes, a device that flaps, many short spans, a clock that was set back. */
import { expect, test } from 'vitest'
import type { DeviceEvent, Period, Run } from '../../src/broker/contract/presence-store.ts'
import { MAX_SPANS, presenceReport, type SpanSources } from '../../src/broker/views/presence-spans.ts'

const RUN: Run = {
  id: 1,
  nodeId: 1,
  release: '1.0.0',
  startedMs: 0,
  aliveMs: 1_000,
  endedMs: null,
  how: null,
}
const PERIOD: Period = {
  runId: 1,
  number: 1,
  transport: 'MQTT',
  beganMs: 100,
  endedMs: 200,
  receivesMs: 100,
  address: null,
  session: null,
  version: null,
  reason: 'CLOSED',
  detail: null,
}
const SOURCES: SpanSources = {
  ...{ periods: [], events: [], runs: [RUN], firstMs: 0, pollSeconds: null },
  ...{ fromMs: 0, toMs: 1_000, nowMs: 1_000, knownMs: 0 },
}
const spansOf = (parts: Partial<SpanSources>) =>
  presenceReport({ ...SOURCES, ...parts }).spans.map(
    ({ state, fromMs, toMs }) => `${state} ${fromMs}-${toMs}`,
  )

test('spans: a node is lost → UNKNOWN until another node notices, unless the device is connected there', () => {
  const lost: Run = { ...RUN, aliveMs: 400, endedMs: 600, how: 'LOST' }
  const runs = [lost, { ...RUN, id: 2, nodeId: 2 }]
  const open = { ...PERIOD, endedMs: null, reason: null }
  expect(spansOf({ runs, periods: [open] })).toEqual([
    'AWAY 0-100',
    'RECEIVING 100-400',
    'UNKNOWN 400-600',
    'AWAY 600-1000',
  ])
  const other = { ...PERIOD, runId: 2, beganMs: 350, endedMs: 550 }
  expect(spansOf({ runs, periods: [open, other] })).toEqual([
    'AWAY 0-100',
    'RECEIVING 100-400',
    'RECEIVING 400-550',
    'UNKNOWN 550-600',
    'AWAY 600-1000',
  ])
})

test('spans: a device polled once before a node was lost → UNKNOWN while its next poll may come', () => {
  const SECOND = 1_000
  const lost: Run = { ...RUN, aliveMs: 400 * SECOND, endedMs: 450 * SECOND, how: 'LOST' }
  const next: Run = { ...RUN, id: 2, startedMs: 450 * SECOND }
  const polled = {
    ...PERIOD,
    transport: 'REST',
    beganMs: 395 * SECOND,
    endedMs: null,
    receivesMs: null,
    reason: null,
  }
  const [toMs, nowMs] = [1_000 * SECOND, 1_000 * SECOND]
  expect(spansOf({ runs: [lost, next], periods: [polled], toMs, nowMs })).toEqual([
    'AWAY 0-395000',
    'POLLING 395000-400000',
    'UNKNOWN 400000-750000',
    'AWAY 750000-1000000',
  ])
})

test('spans: a device flaps → UNKNOWN between its first and its last connection that has no period', () => {
  const event: DeviceEvent = {
    runId: 1,
    number: 1,
    kind: 'FLAPPING',
    atMs: 200,
    lastMs: 700,
    count: 90,
    detail: {},
  }
  expect(spansOf({ periods: [PERIOD], events: [event] })).toEqual([
    'AWAY 0-100',
    'RECEIVING 100-200',
    'UNKNOWN 200-701',
    'AWAY 701-1000',
  ])
})

test('spans: the clock was set back within a period → the span is cut to nothing, none ends before its begin', () => {
  const back = { ...PERIOD, beganMs: 500, receivesMs: 450, endedMs: 300 }
  expect(spansOf({ periods: [back] })).toEqual(['AWAY 0-1000'])
})

test('spans: thousands of short ones → at most 500, without a gap; the shares count each part', () => {
  const periods = Array.from({ length: 4_000 }, (_, number) => {
    const beganMs = number * 20_000
    return { ...PERIOD, number, beganMs, receivesMs: beganMs, endedMs: beganMs + 5_000 }
  })
  const toMs = 80_000_000
  const { spans, shares } = presenceReport({ ...SOURCES, periods, toMs, nowMs: toMs })
  expect(spans.length).toBeLessThanOrEqual(MAX_SPANS)
  expect(spans.slice(1).map(({ fromMs }) => fromMs)).toEqual(spans.slice(0, -1).map((span) => span.toMs))
  expect(spans.reduce((sum, { count }) => sum + count, 0)).toBe(8_000)
  expect(shares.get('RECEIVING')).toBeCloseTo(0.25)
})
