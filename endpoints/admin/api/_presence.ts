/** Schemas of the presence of devices and of the runs of servers, and their conversion. Not a route. */
import type { Run } from '../../../src/broker/contract/presence-store.ts'
import type { PresenceReport } from '../../../src/broker/views/presence-spans.ts'
import { LOG_KINDS, PERIOD_ENDS, PRESENCE_STATES } from '../../../src/broker/vocabulary/presence.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'
import { Limit, MAX_ROWS, QueryTime } from './_schemas.ts'

const DAY_MS = 86_400_000
const MONTH_MS = 30 * DAY_MS

const From = Type.Optional(
  Type.Unsafe<number>({ ...QueryTime, description: 'begin of the range; default: a day before `to`' }),
)
const To = Type.Optional(Type.Unsafe<number>({ ...QueryTime, description: 'end of the range; default: now' }))

export type RangeQuery = Static<typeof RangeQuery>
export const RangeQuery = Type.Object({ from: From, to: To })
export type RunsQuery = Static<typeof RunsQuery>
export const RunsQuery = Type.Object({ from: From, to: To, limit: Limit })

/** Applies the defaults of a range: the day until now. */
export function toRange({ from, to }: RangeQuery, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = to ?? nowMs
  return { fromMs: from ?? toMs - DAY_MS, toMs }
}

export function toLogQuery({ from, to, kind, before, limit }: LogQuery, nowMs: number) {
  // The newest entry may have happened in this millisecond.
  const toMs = to ?? nowMs + 1
  return { fromMs: from ?? toMs - MONTH_MS, toMs, kinds: kind, before, limit: Math.min(limit, MAX_ROWS) }
}

export type LogQuery = Static<typeof LogQuery>
export const LogQuery = Type.Object({
  from: Type.Optional(
    Type.Unsafe<number>({ ...QueryTime, description: 'begin of the range; default: 30 days before `to`' }),
  ),
  to: To,
  kind: Type.Array(Choice(LOG_KINDS), {
    comma: true,
    default: [],
    description: 'only entries of these kinds',
  }),
  before: Type.Optional(
    TextLike('001795884840441-000000004-000000001-000000007', {
      maxLength: 100,
      description: 'id of an entry: the list continues behind the entry',
    }),
  ),
  limit: Limit,
})

export const LogEntryAnswer = Type.Object(
  {
    id: TextLike('001795884840441-000000004-000000001-000000007'),
    kind: Choice(LOG_KINDS),
    date: Time,
    isExact: Type.Boolean({ description: 'false: the last sign of life of a server that was lost' }),
    node: Nullable(PositiveInteger),
    transport: Nullable(TextLike('MQTT')),
    address: Nullable(TextLike('192.0.2.17')),
    reason: Nullable(TextLike('KEEP_ALIVE')),
    by: Nullable(TextLike('admin')),
    detail: Type.Object({}, { additionalProperties: true, examples: [{ seconds: 3_600 }] }),
  },
  { title: 'LogEntry' },
)

export const STATES_OF_PRESENCE =
  'RECEIVING: a connection receives its commands. POLLING: it polls regularly. CONNECTED: its connection receives nothing. ' +
  'AWAY: a server saw that it was absent. UNKNOWN: no server saw whether it was present. UNSEEN: never seen'

export const PresenceAnswer = Type.Object(
  {
    fromDate: Time,
    toDate: Time,
    spans: Type.Array(
      Type.Object({
        state: Choice([...PRESENCE_STATES, 'MIXED'], {
          description: `${STATES_OF_PRESENCE}. MIXED: several parts that are too short to show`,
        }),
        fromDate: Time,
        toDate: Time,
        transport: Nullable(TextLike('MQTT')),
        node: Nullable(PositiveInteger),
        address: Nullable(TextLike('192.0.2.17')),
        reason: Nullable(Choice([...PERIOD_ENDS, 'SERVER_LOST'])),
        count: Type.Integer({ minimum: 1, description: 'number of parts that MIXED joins' }),
      }),
    ),
    shares: Type.Partial(
      Type.Object(Object.fromEntries(PRESENCE_STATES.map((state) => [state, Type.Number()]))),
      { description: 'share of the range by state', examples: [{ RECEIVING: 0.91, AWAY: 0.09 }] },
    ),
  },
  { title: 'Presence' },
)

export const RunAnswer = Type.Object(
  {
    id: PositiveInteger,
    node: Nullable(Count),
    release: TextLike('0.1.0'),
    startedDate: Time,
    aliveDate: Time,
    endedDate: Nullable(Time),
    how: Nullable(Choice(['STOPPED', 'LOST'])),
  },
  { title: 'Run' },
)

export function toPresenceAnswer({ fromMs, toMs, spans, shares }: PresenceReport) {
  return {
    fromDate: fromMs,
    toDate: toMs,
    spans: spans.map(({ fromMs: fromDate, toMs: toDate, nodeId, ...span }) => {
      const { state, transport, address, reason, count } = span
      return { state, fromDate, toDate, transport, node: nodeId, address, reason, count }
    }),
    shares: Object.fromEntries(shares),
  }
}

export function toRunAnswer({ id, nodeId, release, startedMs, aliveMs, endedMs, how }: Run) {
  return { id, node: nodeId, release, startedDate: startedMs, aliveDate: aliveMs, endedDate: endedMs, how }
}
