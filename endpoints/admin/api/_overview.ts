/** Describes the overview on the wire. Not a route. */
import { ALERT_KINDS } from '../../../src/broker/alerts.ts'
import { FAILURE_NAMES, SERIES_NAMES, type Series } from '../../../src/broker/counters.ts'
import type { OverviewSnapshot } from '../../../src/broker/overview.ts'
import { Choice, Text, Type } from '../../../src/web/schema.ts'
import { MessageId } from '../../../src/wire.ts'
import { Count, Nullable, Time } from './_answers.ts'

const SeriesColumns = Type.Object(
  {
    from: Type.Integer({ description: 'when the first item begins' }),
    step: Type.Integer({ description: 'milliseconds of an item; the last one is not over' }),
    ...Object.fromEntries(SERIES_NAMES.map((name) => [name, Type.Array(Count)])),
  },
  { title: 'Series' },
)

const Attention = Type.Object(
  {
    kind: Choice(ALERT_KINDS),
    since: Nullable(Time),
    deviseId: Nullable(Text()),
    messageId: Nullable(MessageId),
    address: Nullable(Text()),
    value: Nullable(Count),
    limit: Nullable(Count),
  },
  { title: 'Attention' },
)

export const OverviewAnswer = Type.Object(
  {
    date: Time,
    since: Type.Integer({ description: 'when the server began to count' }),
    devices: Type.Object({ online: Count, seenInHour: Count }),
    connections: Count,
    waiting: Count,
    oldestWaiting: Nullable(Type.Object({ id: MessageId, deviseId: Text(), date: Time })),
    failed: Type.Object(Object.fromEntries(FAILURE_NAMES.map((name) => [name, Count]))),
    perMinute: Count,
    minutes: SeriesColumns,
    hours: SeriesColumns,
    attention: Type.Array(Attention),
  },
  { title: 'Overview' },
)

export function shownOverview(snapshot: OverviewSnapshot) {
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
    minutes: shownSeries(snapshot.minutes),
    hours: shownSeries(snapshot.hours),
    attention: snapshot.attention.map(({ kind, sinceMs: since, deviceId: deviseId, ...more }) => ({
      kind,
      since,
      deviseId,
      ...more,
    })),
  }
}

function shownSeries({ fromMs: from, stepMs: step, ...columns }: Series) {
  return { from, step, ...columns }
}
