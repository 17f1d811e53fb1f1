/** Schemas of the conditions that select messages, and the conversion to a filter of the storage. Not a route. */
import { type MessageSearch, PAGE_MS, SEARCH_OUTCOMES } from '../../../src/broker/contract/message-search.ts'
import { STATUSES, WITHDRAWN_CAUSES } from '../../../src/broker/vocabulary/status.ts'
import { Choice, type Static, Text, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire/messages.ts'
import { DetailsQuery } from '../../_details.ts'
import { TextLike } from '../../_schemas.ts'
import { ID, LIMIT, QueryTime } from './_schemas.ts'

const PART = 'ASCII letters match in any case, others as typed, in lower case and with a capital'

/** Conditions of a list, a count and an action on many messages. A message must satisfy all of them. */
export type MessageConditions = Static<typeof MessageConditions>
export const MessageConditions = Type.Object(
  {
    deviseId: Type.Optional(
      Type.Union([DeviceId, Type.Array(DeviceId, { minItems: 1, maxItems: 20 })], {
        description: 'only messages of this device, or of one of up to 20 devices',
      }),
    ),
    search: Type.Optional(
      TextLike('pump', {
        minLength: 1,
        maxLength: 255,
        description: `part of the device id or of the command. ${PART}`,
      }),
    ),
    text: Type.Optional(
      TextLike('"speed":3', {
        minLength: 3,
        maxLength: 255,
        description: `part of \`data\` as it was sent. ${PART}`,
      }),
    ),
    outcome: Type.Optional(
      Choice(SEARCH_OUTCOMES, {
        description: 'FAILED: only messages that are COMPLETED_WITH_ERROR or UNKNOWN',
      }),
    ),
    changedFrom: Type.Optional(
      Type.Integer({
        ...QueryTime,
        description: 'only messages whose last change happened at this time or later',
      }),
    ),
    changedTo: Type.Optional(
      Type.Integer({
        ...QueryTime,
        description: 'only messages whose last change happened before this time',
      }),
    ),
    resent: Type.Optional(
      Type.Boolean({
        description: 'true: only messages whose command was sent again; false: only the others',
      }),
    ),
    incident: Type.Optional(
      Type.Integer({
        ...ID,
        description: 'only messages that failed, were parked or were not finished in this incident',
      }),
    ),
    status: Type.Optional(Choice(STATUSES)),
    cause: Type.Optional(
      Choice(WITHDRAWN_CAUSES, {
        description: 'only messages that are CANCELLED or UNKNOWN for this reason',
      }),
    ),
    command: Type.Optional(TextLike('start', { minLength: 1, maxLength: 255 })),
    senderDeviseId: Type.Optional(
      TextLike('shop', { maxLength: 255, description: 'only messages that this client submitted' }),
    ),
    from: Type.Optional(QueryTime),
    to: Type.Optional(QueryTime),
  },
  { title: 'MessageConditions' },
)

/** Response header of a search that ended before it found enough, for the API description. */
export const SEARCHED_TO_HEADER = {
  'Waybill-Searched-To': Text({
    description:
      'time down to which a search went, in milliseconds since 1970, if its page is short and not the last',
  }),
}

const SHORT_PAGE = `A request searches for at most 15 ms, with the conditions that no index serves for ${PAGE_MS} ms. A page with a rare command or status may be short or empty and still have a next page`

export type MessageQuery = Static<typeof MessageQuery>
export const MessageQuery = Type.Object({
  ...MessageConditions.properties,
  before: Type.Optional(Type.Integer({ ...ID, description: 'only messages with smaller ids' })),
  limit: Type.Integer({ ...LIMIT, description: `${LIMIT.description}. ${SHORT_PAGE}` }),
  ...DetailsQuery.properties,
})

export function toMessageSearch({
  deviseId,
  senderDeviseId: senderId,
  from: fromMs,
  to: toMs,
  changedFrom: changedFromMs,
  changedTo: changedToMs,
  status,
  cause,
  command,
  search,
  text,
  outcome,
  resent,
  incident: incidentId,
}: MessageConditions): MessageSearch {
  const deviceIds = deviseId === undefined ? undefined : [deviseId].flat()
  const times = { fromMs, toMs, changedFromMs, changedToMs }
  return { deviceIds, status, cause, command, senderId, search, text, outcome, resent, incidentId, ...times }
}
