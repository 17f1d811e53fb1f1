/** Schemas of alerts, and their conversion. Not a route. */

import type { ListedAlert, ListedAlerts } from '../../../src/broker/views/alert-list.ts'
import { ALERT_KINDS } from '../../../src/broker/views/alerts.ts'
import { Choice, Maybe, type Static, Text, Type } from '../../../src/web/schema.ts'
import { MessageId } from '../../../src/wire/messages.ts'
import { DetailsQuery } from '../../_details.ts'
import { Count, Nullable, TextLike, Time } from '../../_schemas.ts'
import { ID, Limit } from './_schemas.ts'

export const AlertKey = Text({
  minLength: 1,
  maxLength: 300,
  description: 'kind of the alert, with its device or address behind a colon',
  examples: ['FAILED:pump-1'],
})

const Note = TextLike('the mechanic is on the way', { maxLength: 1000 })

export type AlertQuery = Static<typeof AlertQuery>
export const AlertQuery = Type.Object({
  acknowledged: Type.Optional(
    Type.Boolean({ description: 'true: acknowledged alerts only; false: open alerts only' }),
  ),
  limit: Limit,
  ...DetailsQuery.properties,
})

export type AcknowledgementBody = Static<typeof AcknowledgementBody>
export const AcknowledgementBody = Type.Object({ note: Maybe(Note) }, { title: 'NewAlertAcknowledgement' })

const Acknowledgement = Type.Object(
  { by: Nullable(TextLike('admin')), date: Time, note: Nullable(Note) },
  { title: 'AlertAcknowledgement' },
)

const AlertAnswer = Type.Object(
  {
    key: AlertKey,
    kind: Choice(ALERT_KINDS),
    deviseId: Nullable(TextLike('pump-1')),
    address: Nullable(TextLike('192.0.2.7')),
    command: Nullable(TextLike('start')),
    messageId: Nullable(MessageId),
    count: Nullable(Count),
    value: Nullable(Count),
    limit: Nullable(Count),
    unit: Nullable(Choice(['messages', 'bytes'], { description: 'unit of `value` and `limit`' })),
    sinceDate: Nullable(Time),
    lastDate: Nullable(Time),
    acknowledged: Nullable(Acknowledgement),
    incidentId: Type.Optional(
      Nullable(
        Type.Integer({ ...ID, description: 'with details: incident of the alert that has not ended' }),
      ),
    ),
  },
  { title: 'Alert' },
)

export const AlertsAnswer = Type.Object(
  { open: Count, acknowledged: Count, items: Type.Array(AlertAnswer) },
  { title: 'Alerts' },
)

/** @param incidentIds incidents by the keys of their alerts; null without details */
export function toAlertsAnswer(
  { items, ...counts }: ListedAlerts,
  incidentIds: ReadonlyMap<string, number> | null,
) {
  const idOf = ({ key }: ListedAlert) => incidentIds && { incidentId: incidentIds.get(key) ?? null }
  return { ...counts, items: items.map((alert) => ({ ...toAlertAnswer(alert), ...idOf(alert) })) }
}

function toAlertAnswer(alert: ListedAlert) {
  const { key, kind, deviceId: deviseId, address, command, messageId, count, value, limit, unit } = alert
  const { sinceMs: sinceDate, lastMs: lastDate, acknowledged } = alert
  return {
    key,
    kind,
    deviseId,
    address,
    command,
    messageId,
    count,
    value,
    limit,
    unit,
    sinceDate,
    lastDate,
    acknowledged: acknowledged && { by: acknowledged.by, date: acknowledged.atMs, note: acknowledged.note },
  }
}
