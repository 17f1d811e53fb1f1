/** Schemas of incidents, and their conversion. Not a route. */
import {
  INCIDENT_KINDS,
  INCIDENT_LINES,
  INCIDENT_STATES,
  type IncidentFilter,
  type IncidentLine,
  type IncidentMember,
  type IncidentRule,
} from '../../../src/broker/contract/incident-store.ts'
import { INCIDENT_ACTIONS, type IncidentHelp } from '../../../src/broker/incidents/incident-actions.ts'
import { SIGNAL_KINDS } from '../../../src/broker/incidents/incident-rules.ts'
import type {
  ChangedIncidents,
  IncidentDetail,
  ListedIncidents,
} from '../../../src/broker/incidents/incidents.ts'
import { Choice, Maybe, type Static, Type } from '../../../src/web/schema.ts'
import { toIncidentItem } from '../../../src/wire/incident-item.ts'
import { DeviceId, MessageId } from '../../../src/wire/messages.ts'
import { Count, Nullable, Reason, TextLike, Time } from '../../_schemas.ts'
import { ID, Id, LIMIT, Limit, QueryTime } from './_schemas.ts'

const State = Choice(INCIDENT_STATES, { title: 'IncidentState' })
const Kind = Choice(INCIDENT_KINDS, { title: 'IncidentKind' })
const SignalKind = Choice(SIGNAL_KINDS)
const Note = TextLike('the mechanic is on the way', { minLength: 1, maxLength: 2000, notBlank: true })
const Key = TextLike('FAILED:open', { description: 'the cause: a kind, and behind a colon its subject' })

export type IncidentQuery = Static<typeof IncidentQuery>
export const IncidentQuery = Type.Object({
  state: Type.Optional(
    Choice(INCIDENT_STATES, { description: 'ENDED: incidents that have ended; default: all others' }),
  ),
  kind: Type.Optional(Kind),
  deviseId: Type.Optional(
    Type.Unsafe<string>({ ...DeviceId, description: 'only incidents that have or had this device' }),
  ),
  from: Type.Optional(QueryTime),
  to: Type.Optional(QueryTime),
  before: Type.Optional(Type.Integer({ ...ID, description: 'only incidents with smaller ids' })),
  limit: Limit,
})

export type MemberQuery = Static<typeof MemberQuery>
export const MemberQuery = Type.Object({
  after: Type.Optional(
    TextLike('FAILED:pump-1:open', {
      maxLength: 600,
      description: 'the page begins after the member with this key',
    }),
  ),
  limit: Type.Integer(LIMIT),
})

const Ids = Type.Array(Id, { minItems: 1, maxItems: 500 })

export type AcknowledgeBody = Static<typeof AcknowledgeBody>
export const AcknowledgeBody = Type.Object(
  { ids: Ids, note: Maybe(Note) },
  { title: 'IncidentAcknowledgement' },
)

export type MuteBody = Static<typeof MuteBody>
export const MuteBody = Type.Object(
  {
    ids: Ids,
    untilDate: Type.Integer({ ...QueryTime, description: 'end of the mute, at most 30 days ahead' }),
    note: Maybe(Note),
  },
  { title: 'IncidentMute' },
)

export type ReopenBody = Static<typeof ReopenBody>
export const ReopenBody = Type.Object({ ids: Ids }, { title: 'IncidentReopening' })

export type ResolveBody = Static<typeof ResolveBody>
export const ResolveBody = Type.Object({ ids: Ids, note: Note }, { title: 'IncidentResolution' })

export type IncidentNoteBody = Static<typeof IncidentNoteBody>
export const IncidentNoteBody = Type.Object({ text: Note }, { title: 'NewIncidentNote' })

const LISTED = {
  id: Id,
  key: Key,
  kind: Kind,
  state: State,
  class: Type.Integer({ minimum: 1, maximum: 6, description: 'urgency; 1 is the most urgent' }),
  signals: Type.Array(SignalKind, {
    description: 'kinds of its members that have not ended; after its end, of all',
  }),
  startedDate: Time,
  changedDate: Time,
  endedDate: Nullable(Time),
  reopened: Count,
  devices: Count,
  messages: Count,
  waiting: Count,
  acknowledged: Nullable(
    Type.Object(
      { by: Nullable(TextLike('admin')), date: Time, note: Nullable(Note) },
      { title: 'IncidentAcknowledgedBy' },
    ),
  ),
  mutedUntilDate: Nullable(Time),
  mergedInto: Nullable(Id),
}

const ListedAnswer = Type.Object(LISTED, { title: 'Incident' })

export const IncidentsAnswer = Type.Object(
  { open: Count, acknowledged: Count, muted: Count, items: Type.Array(ListedAnswer) },
  { title: 'Incidents' },
)

export const LineAnswer = Type.Object(
  {
    id: Id,
    date: Time,
    kind: Choice(INCIDENT_LINES, { title: 'IncidentLineKind' }),
    by: Nullable(TextLike('admin')),
    text: Nullable(TextLike('pen test until noon')),
  },
  { title: 'IncidentLine' },
)

const ActionAnswer = Type.Object(
  {
    action: Choice(INCIDENT_ACTIONS, { title: 'IncidentAction' }),
    count: Count,
    deviseId: Nullable(TextLike('pump-1')),
    body: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'RESEND, REPLAY: for POST /admin/api/messages/bulk. SERVICE: for POST /admin/api/devices/service, with a reason',
        },
      ),
    ),
  },
  { title: 'IncidentHelp' },
)

export const IncidentAnswer = Type.Object(
  {
    ...LISTED,
    oldestDate: Nullable(Time),
    reasons: Type.Array(Type.Object({ reason: Reason, count: Count }, { title: 'IncidentReason' })),
    actions: Type.Array(ActionAnswer),
    lines: Type.Array(LineAnswer),
  },
  { title: 'IncidentDetail' },
)

export const MemberAnswer = Type.Object(
  {
    key: TextLike('FAILED:pump-1:open'),
    kind: SignalKind,
    deviseId: Nullable(TextLike('pump-1')),
    messageId: Nullable(MessageId),
    command: Nullable(TextLike('start')),
    reason: Nullable(Reason),
    address: Nullable(TextLike('192.0.2.7')),
    sinceDate: Time,
    endedDate: Nullable(Time),
    count: Nullable(Count),
  },
  { title: 'IncidentMember' },
)

export const ChangedAnswer = Type.Object(
  {
    changed: Count,
    failed: Type.Array(
      Type.Object({ id: Id, code: TextLike('incident-ended') }, { title: 'UnchangedIncident' }),
    ),
  },
  { title: 'ChangedIncidents' },
)

const RULE = {
  kind: SignalKind,
  isEnabled: Type.Boolean(),
}
const Threshold = (description: string) =>
  Maybe(Type.Integer({ minimum: 0, maximum: 1_000_000, description: `${description}; null: the default` }))

export const RuleAnswer = Type.Object(
  {
    ...RULE,
    start: Nullable(Count),
    end: Nullable(Count),
    quietSeconds: Nullable(Count),
    minMessages: Nullable(Count),
  },
  { title: 'IncidentRule' },
)

export type RulesBody = Static<typeof RulesBody>
export const RulesBody = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        {
          ...RULE,
          start: Threshold('amount from which a signal begins'),
          end: Threshold('amount at which a signal ends'),
          quietSeconds: Threshold('time without the signal after which it ends, in seconds'),
          minMessages: Threshold('number of messages with one command that begin an incident'),
        },
        { title: 'NewIncidentRule', additionalProperties: false },
      ),
      { maxItems: SIGNAL_KINDS.length },
    ),
  },
  { title: 'NewIncidentRules' },
)

export function toFilter({ state, kind, deviseId, from, to, before }: IncidentQuery): IncidentFilter {
  return {
    isEnded: state === 'ENDED',
    state: state ?? null,
    kind: kind ?? null,
    deviceId: deviseId ?? null,
    fromMs: from ?? null,
    toMs: to ?? null,
    beforeId: before ?? null,
  }
}

export function toRules({ rules }: RulesBody): IncidentRule[] {
  return rules.map(({ kind, isEnabled, start, end, quietSeconds, minMessages }) => ({
    kind,
    isEnabled,
    start: start ?? null,
    end: end ?? null,
    quietSeconds: quietSeconds ?? null,
    minMessages: minMessages ?? null,
  }))
}

export function toIncidentsAnswer({ items, ...counts }: ListedIncidents) {
  return { ...counts, items: items.map(toIncidentItem) }
}

export function toIncidentAnswer({ oldestMs, reasons, actions, lines, ...incident }: IncidentDetail) {
  return {
    ...toIncidentItem(incident),
    oldestDate: oldestMs,
    reasons,
    actions: actions.map((each) => toActionAnswer(incident.id, each)),
    lines: lines.map(toLineAnswer),
  }
}

function toActionAnswer(incident: number, { action, count, deviceIds }: IncidentHelp) {
  const [deviseId = null] = deviceIds
  switch (action) {
    case 'RESEND':
    case 'REPLAY':
      return { action, count, deviseId: null, body: { action, filter: { incident } } }
    case 'SERVICE':
      return { action, count, deviseId: null, body: { devices: deviceIds } }
    case 'PASSWORD':
    case 'OPEN_DEVICE':
      return { action, count, deviseId, body: null }
    default:
      return action satisfies never
  }
}

export function toLineAnswer({ id, atMs, kind, by, text }: IncidentLine) {
  return { id, date: atMs, kind, by, text }
}

export function toMemberAnswer(member: IncidentMember) {
  const { key, kind, deviceId: deviseId, messageId, command, reason, address, count } = member
  const dates = { sinceDate: member.firstMs, endedDate: member.endedMs }
  return { key, kind, deviseId, messageId, command, reason, address, ...dates, count }
}

export function toChangedAnswer({ changed, failed }: ChangedIncidents) {
  return { changed, failed: failed.map(({ id, code }) => ({ id, code })) }
}
