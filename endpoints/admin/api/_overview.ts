/** Schema of the overview, and its conversion. Not a route. */
import { ALERT_KINDS } from '../../../src/broker/views/alerts.ts'
import { FAILURE_NAMES, type OverviewSnapshot } from '../../../src/broker/views/overview.ts'
import { SERIES_NAMES, type Series } from '../../../src/broker/views/statistics-series.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { MessageId } from '../../../src/wire/messages.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'

const SeriesColumns = Type.Object(
  {
    from: Type.Integer({
      description: 'start of the first item, in milliseconds since 1970',
      examples: Time.examples,
    }),
    step: Type.Integer({
      description: 'length of an item in milliseconds; the last item is not complete',
      examples: [60_000],
    }),
    ...Object.fromEntries(SERIES_NAMES.map((name) => [name, Type.Array(Count)])),
  },
  { title: 'Series' },
)

const Attention = Type.Object(
  {
    kind: Choice(ALERT_KINDS),
    since: Nullable(Time),
    deviseId: Nullable(TextLike('pump-1')),
    messageId: Nullable(MessageId),
    address: Nullable(TextLike('192.0.2.7')),
    value: Nullable(Count),
    limit: Nullable(Count),
    unit: Type.Optional(
      Nullable(Choice(['messages', 'bytes'], { description: 'unit of `value` and `limit`; with `details`' })),
    ),
  },
  { title: 'Attention' },
)

export type OverviewQuery = Static<typeof OverviewQuery>
export const OverviewQuery = Type.Object({
  details: Type.Boolean({ default: false, description: 'true adds `unit` to `attention`' }),
})

export const OverviewAnswer = Type.Object(
  {
    date: Time,
    since: Type.Integer({
      description: 'time from which the statistics have counts, in milliseconds since 1970',
      examples: Time.examples,
    }),
    devices: Type.Object({ online: Count, seenInHour: Count }),
    connections: Count,
    waiting: Count,
    oldestWaiting: Nullable(Type.Object({ id: MessageId, deviseId: TextLike('pump-1'), date: Time })),
    failed: Type.Object(Object.fromEntries(FAILURE_NAMES.map((name) => [name, Count]))),
    perMinute: Count,
    minutes: SeriesColumns,
    hours: SeriesColumns,
    attention: Type.Array(Attention),
  },
  { title: 'Overview' },
)

export function toOverviewAnswer(snapshot: OverviewSnapshot, details: boolean) {
  const { atMs, sinceMs, devices, connections, waiting, oldest, failed, perMinute } = snapshot
  return {
    date: atMs,
    since: sinceMs,
    devices: { online: devices.online, seenInHour: devices.seen },
    connections,
    waiting,
    oldestWaiting: oldest && { id: oldest.messageId, deviseId: oldest.deviceId, date: oldest.atMs },
    failed,
    perMinute,
    minutes: toSeriesAnswer(snapshot.minutes),
    hours: toSeriesAnswer(snapshot.hours),
    attention: snapshot.attention.map(({ kind, sinceMs: since, deviceId: deviseId, unit, ...more }) => ({
      kind,
      since,
      deviseId,
      ...more,
      ...(details && { unit }),
    })),
  }
}

function toSeriesAnswer({ fromMs: from, stepMs: step, ...columns }: Series) {
  return { from, step, ...columns }
}
