/** Schemas of the conditions that select messages, and the conversion to the filter of the storage. Not a route. */
import type { MessageFilter } from '../../../src/broker/message-log.ts'
import { STATUSES, WITHDRAWN_CAUSES } from '../../../src/broker/status.ts'
import { Choice, type Static, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire.ts'
import { DetailsQuery } from '../../_details.ts'
import { TextLike } from '../../_schemas.ts'
import { ID, LIMIT, QueryTime } from './_schemas.ts'

/** Conditions of a list, a count and an action on many messages. A message must fulfil all of them. */
export type MessageConditions = Static<typeof MessageConditions>
export const MessageConditions = Type.Object(
  {
    deviseId: Type.Optional(DeviceId),
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

const SHORT_PAGE =
  'A request searches for at most 15 ms. A page with a rare command or status may be short or empty and still have a next page'

export type MessageQuery = Static<typeof MessageQuery>
export const MessageQuery = Type.Object({
  ...MessageConditions.properties,
  before: Type.Optional(Type.Integer({ ...ID, description: 'only messages with smaller ids' })),
  limit: Type.Integer({ ...LIMIT, description: `${LIMIT.description}. ${SHORT_PAGE}` }),
  ...DetailsQuery.properties,
})

export function toMessageFilter({
  deviseId: deviceId,
  status,
  cause,
  command,
  senderDeviseId: senderId,
  from: fromMs,
  to: toMs,
}: MessageConditions): MessageFilter {
  return { deviceId, status, cause, command, senderId, fromMs, toMs }
}
