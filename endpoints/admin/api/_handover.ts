/** Schemas of the hand-over, and their conversion. Not a route. */
import { AUDIT_ACTIONS } from '../../../src/audit/audit.ts'
import type { HandoverIncident } from '../../../src/broker/contract/handover-store.ts'
import { INCIDENT_KINDS, INCIDENT_STATES } from '../../../src/broker/contract/incident-store.ts'
import {
  DEVICE_ITEMS,
  FIGURES,
  type Handover,
  type Part,
  PEOPLE_ITEMS,
  SERVER_ITEMS,
  SERVICE_ITEMS,
} from '../../../src/broker/handover/parts.ts'
import { classOf } from '../../../src/broker/incidents/urgency.ts'
import { MEANING_LANGUAGES } from '../../../src/config/meanings.ts'
import { Choice, type Static, type TSchema, Type } from '../../../src/web/schema.ts'
import { Count, Nullable, Reason, TextLike, Time } from '../../_schemas.ts'
import { PositiveInteger } from './_answers.ts'
import { QueryTime } from './_schemas.ts'

export type HandoverParameters = Static<typeof HandoverParameters>
export const HandoverParameters = Type.Object(
  {
    from: Type.Optional(
      Type.Union([QueryTime, Type.Literal('last')], {
        description:
          'begin of the range; `last`: the last sign-in of the caller before the present visit; default: a day before `to`',
      }),
    ),
    to: Type.Optional(
      Type.Unsafe<number>({
        ...QueryTime,
        description: 'end of the range, at most 31 days after its begin; default, and for a time ahead: now',
      }),
    ),
    language: Choice(MEANING_LANGUAGES, { default: 'en', description: 'language of the text' }),
    utcOffset: Type.Optional(
      Type.Integer({
        minimum: -840,
        maximum: 840,
        examples: [60],
        description: 'minutes of the dates in the text east of UTC; default: those of the server',
      }),
    ),
  },
  // A hand-over of all devices instead of some would look like the one that was asked for.
  { additionalProperties: false },
)

const PartOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    {
      total: Type.Integer({ minimum: 0, description: 'number of all items' }),
      counts: Type.Array(
        Type.Object({ kind: TextLike('STARTED'), count: Count }, { title: 'HandoverCount' }),
        { description: 'numbers by kind' },
      ),
      items: Type.Array(item, { description: 'the first 20' }),
      link: TextLike('/admin/api/incidents', { description: 'path that lists all' }),
    },
    { title },
  )

const DeviceId = TextLike('pump-1')
const By = Nullable(TextLike('admin'))

const IncidentItem = Type.Object(
  {
    kind: Choice(INCIDENT_KINDS, { title: 'IncidentKind' }),
    id: PositiveInteger,
    key: TextLike('FAILED:open'),
    state: Choice(INCIDENT_STATES, { title: 'IncidentState' }),
    class: Type.Integer({ minimum: 1, maximum: 6 }),
    startedDate: Time,
    endedDate: Nullable(Time),
    mutedUntilDate: Nullable(Time),
    devices: Count,
    messages: Count,
    waiting: Count,
    by: By,
    note: Nullable(TextLike('a mechanic is on the way')),
  },
  { title: 'HandoverIncident' },
)

const FailureItem = Type.Object(
  {
    kind: Choice(['FAILED', 'PARKED', 'NOT_FINISHED']),
    command: TextLike('open'),
    reason: Nullable(Reason),
    count: Count,
    resent: Type.Integer({ minimum: 0, description: 'number of them that were sent again' }),
    devices: Count,
    before: Type.Integer({ minimum: 0, description: 'number in the time of the same length before' }),
    lastDate: Time,
  },
  { title: 'HandoverFailure' },
)

const DeviceItem = Type.Object(
  {
    kind: Choice(DEVICE_ITEMS),
    deviseId: DeviceId,
    date: Time,
    sinceDate: Nullable(Time),
    count: Nullable(Count),
    reason: Nullable(TextLike('WRONG_CREDENTIALS')),
  },
  { title: 'HandoverDevice' },
)

const ServiceItem = Type.Object(
  {
    kind: Choice(SERVICE_ITEMS),
    deviseId: DeviceId,
    date: Time,
    untilDate: Nullable(Time),
    by: By,
    text: Nullable(TextLike('the valve is replaced')),
  },
  { title: 'HandoverService' },
)

const PersonItem = Type.Object(
  {
    kind: Choice(PEOPLE_ITEMS),
    by: By,
    action: Nullable(Choice(AUDIT_ACTIONS, { title: 'AuditAction' })),
    count: Nullable(Count),
    date: Time,
  },
  { title: 'HandoverPerson' },
)

const ServerItem = Type.Object(
  {
    kind: Choice(SERVER_ITEMS),
    date: Time,
    untilDate: Nullable(Time),
    node: Nullable(Count),
    release: Nullable(TextLike('0.1.0')),
    before: Nullable(TextLike('0.1.0')),
  },
  { title: 'HandoverServer' },
)

const FigureItem = Type.Object(
  { kind: Choice(FIGURES), value: Nullable(Count), before: Nullable(Count) },
  { title: 'HandoverFigure' },
)

export const HandoverAnswer = Type.Object(
  {
    fromDate: Time,
    toDate: Time,
    incidents: PartOf(IncidentItem, 'HandoverIncidents'),
    failures: PartOf(FailureItem, 'HandoverFailures'),
    devices: PartOf(DeviceItem, 'HandoverDevices'),
    service: PartOf(ServiceItem, 'HandoverServices'),
    people: PartOf(PersonItem, 'HandoverPeople'),
    server: PartOf(ServerItem, 'HandoverServers'),
    figures: PartOf(FigureItem, 'HandoverFigures'),
  },
  // In a union with a text, each schema names its media type.
  { title: 'Handover', contentMediaType: 'application/json' },
)

export function toHandoverAnswer(handover: Handover) {
  const { fromMs, toMs, incidents, failures, devices, service, people, server, figures } = handover
  const range = `from=${fromMs}&to=${toMs}`
  return {
    fromDate: fromMs,
    toDate: toMs,
    incidents: part(incidents, '/admin/api/incidents', toIncidentItem),
    failures: part(
      failures,
      `/admin/api/messages?outcome=FAILED&changedFrom=${fromMs}&changedTo=${toMs}`,
      ({ lastMs: lastDate, ...item }) => ({ ...item, lastDate }),
    ),
    devices: part(
      devices,
      '/admin/api/devices?details=true&sort=problem',
      ({ kind, deviceId: deviseId, atMs: date, sinceMs: sinceDate, count, reason }) => {
        return { kind, deviseId, date, sinceDate, count, reason }
      },
    ),
    service: part(
      service,
      '/admin/api/devices?details=true&with=SERVICE',
      ({ kind, deviceId: deviseId, atMs: date, untilMs: untilDate, by, text }) => {
        return { kind, deviseId, date, untilDate, by, text }
      },
    ),
    people: part(people, `/admin/api/audit?${range}`, ({ kind, by, action, count, atMs: date }) => {
      return { kind, by, action, count, date }
    }),
    server: part(
      server,
      `/admin/api/runs?${range}`,
      ({ kind, atMs: date, untilMs: untilDate, nodeId: node, release, before }) => {
        return { kind, date, untilDate, node, release, before }
      },
    ),
    figures: part(figures, `/admin/api/statistics?${range}`, (item) => item),
  }
}

function part<Item, Answer>(
  { total, counts, items }: Part<Item>,
  link: string,
  toAnswer: (item: Item) => Answer,
) {
  return { total, counts, items: items.map(toAnswer), link }
}

function toIncidentItem(incident: HandoverIncident) {
  const { kind, id, key, state, startedMs, endedMs, mutedUntilMs, devices, messages, waiting, ack, note } =
    incident
  return {
    kind,
    id,
    key,
    state,
    class: classOf(incident),
    startedDate: startedMs,
    endedDate: endedMs,
    mutedUntilDate: mutedUntilMs,
    devices,
    messages,
    waiting,
    by: ack?.by ?? null,
    note,
  }
}
