/** Schemas of the statistics, and their conversion. Not a route. */

import { STEPS_MS } from '../../../src/broker/contract/statistics-store.ts'
import {
  MAX_DEVICE_MESSAGES,
  MAX_STEPS,
  type ReportQuery,
  type StatisticsReport,
} from '../../../src/broker/views/statistics-report.ts'
import { type Static, type TSchema, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { Count, Nullable, Time } from '../../_schemas.ts'
import { QueryTime } from './_schemas.ts'

const DAY_MS = 86_400_000

export type StatisticsQuery = Static<typeof StatisticsQuery>
export const StatisticsQuery = Type.Object({
  from: Type.Optional(
    Type.Unsafe<number>({
      ...QueryTime,
      description: 'a time in the first step; default: a day before `to`',
    }),
  ),
  to: Type.Optional(Type.Unsafe<number>({ ...QueryTime, description: 'end of the range; default: now' })),
  step: Type.Optional(
    Type.Union(
      STEPS_MS.map((step) => Type.Literal(step)),
      {
        description: `milliseconds of one step; at most ${MAX_STEPS} steps. Default: the smallest step that has data and is not too fine for the range`,
        examples: [STEPS_MS[0]],
      },
    ),
  ),
  deviseId: Type.Optional(
    Type.Unsafe<string>({
      ...DeviceId,
      description: `counts the newest ${MAX_DEVICE_MESSAGES} messages of this device`,
    }),
  ),
})

const column = <T extends TSchema>(item: T, description: string) =>
  Type.Array(Nullable(item), { description })
const NOTHING = 'null: nothing was recorded in the step'

export const StatisticsAnswer = Type.Object(
  {
    fromDate: Time,
    stepMs: Type.Integer({ description: 'duration of a step in milliseconds', examples: [60_000] }),
    stored: column(Count, `messages stored; ${NOTHING}`),
    delivered: column(Count, 'messages that their devices received'),
    completed: column(Count, 'messages that became COMPLETED'),
    failed: column(
      Count,
      'messages that became COMPLETED_WITH_ERROR or UNKNOWN in the step, and have that status since',
    ),
    cancelled: column(Count, 'messages that became CANCELLED'),
    pending: column(Count, 'largest number of pending messages in the step'),
    deliveryMs: Type.Object(
      { median: column(Count, 'estimated'), p95: column(Count, 'estimated') },
      { description: 'time from storing to delivery, in milliseconds; off by a factor of 1.8 at most' },
    ),
    up: column(
      Type.Number({ minimum: 0, maximum: 1 }),
      'share of the step in which the server ran; of the present step: of the part that has passed',
    ),
  },
  { title: 'Statistics' },
)

export function toStatisticsQuery({ from, to, step, deviseId }: StatisticsQuery, nowMs: number): ReportQuery {
  const toMs = to ?? nowMs
  return { fromMs: from ?? Math.max(0, toMs - DAY_MS), toMs, stepMs: step, deviceId: deviseId }
}

export function toStatisticsAnswer({ fromMs, median, p95, ...columns }: StatisticsReport) {
  return { fromDate: fromMs, ...columns, deliveryMs: { median, p95 } }
}
