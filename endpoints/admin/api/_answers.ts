/** Schemas of the answers of the admin API. Not a route. */
import { ROLES } from '../../../src/auth/clients.ts'
import { SHOWN_LINKS } from '../../../src/broker/vocabulary/link-table.ts'
import { MESSAGE_FIELD_LIST, MESSAGE_FIELDS } from '../../../src/broker/vocabulary/message.ts'
import {
  TEMPLATE_TERM_NAMES,
  TERM_NAMES,
  TERMS,
  type TermName,
} from '../../../src/broker/vocabulary/term-table.ts'
import { Choice, Text, type TSchema, Type } from '../../../src/web/schema.ts'
import { DeviceEntries } from '../../../src/wire/clients-csv.ts'
import { DeliveryGuarantee, DeliveryStatus, MessageId } from '../../../src/wire/messages.ts'
import {
  CauseAnswer,
  Count,
  Nullable,
  REPORT_TEXT_SCHEMAS,
  Reason,
  Result,
  TextLike,
  Time,
  Waits,
} from '../../_schemas.ts'
import { DeviceSettingsBody } from './_schemas.ts'

export const PositiveInteger = Type.Integer({ minimum: 1 })

function termAnswers(names: readonly TermName[]): Record<string, TSchema> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      Nullable(TERMS[name].type === 'integer' ? PositiveInteger : TextLike('words')),
    ]),
  )
}

export const ClientAnswer = Type.Object(
  {
    id: PositiveInteger,
    deviseId: TextLike('pump-1'),
    role: Choice(ROLES, { title: 'Role' }),
    description: TextLike('pump in the cellar'),
    devices: Type.Optional(DeviceEntries),
    ownQueueOnly: Type.Optional(Nullable(Type.Boolean())),
    lastLoginDate: Type.Optional(Nullable(Time)),
  },
  { title: 'Client' },
)

export const ClientsCsv = Type.String({ contentMediaType: 'text/csv' })

export const TemplateAnswer = Type.Object(
  {
    id: PositiveInteger,
    clientId: Nullable(PositiveInteger),
    deviseId: Nullable(TextLike('pump-1')),
    description: TextLike('start at full speed'),
    command: TextLike('start'),
    deliveryGuarantee: DeliveryGuarantee,
    data: MESSAGE_FIELDS.data.schema,
    ...Type.Partial(Type.Object(termAnswers(TEMPLATE_TERM_NAMES))).properties,
  },
  { title: 'Template' },
)

/** Returns the schemas of the message fields that admins see, by wire name. */
const fieldSchemas = (name: 'listed' | 'detailed'): Record<string, TSchema> =>
  Object.fromEntries(
    MESSAGE_FIELD_LIST.flatMap(([, field]) => {
      const { [name]: wireName, schema, nullable } = field
      return wireName === undefined ? [] : [[wireName, nullable ? Nullable(schema) : schema]]
    }),
  )

const listedFields = fieldSchemas('listed')

export const MessageAnswer = Type.Object(
  {
    ...listedFields,
    cause: Type.Optional(CauseAnswer),
    senderDeviseId: Type.Optional(Nullable(TextLike('shop'))),
    changedDate: Type.Optional(Time),
    attempts: Type.Optional(Count),
    resentAs: Type.Optional(Nullable(MessageId)),
  },
  { title: 'Message' },
)

const linkFields = Object.fromEntries(SHOWN_LINKS.map((name) => [name, Nullable(MessageId)]))

const Terms = Type.Object(
  {
    ...termAnswers(TERM_NAMES),
    expiresDate: Nullable(Time),
    finishDate: Nullable(Time),
    dueDate: Nullable(Time),
  },
  { title: 'Terms' },
)

export const MessageDetailAnswer = Type.Object(
  {
    ...listedFields,
    ...fieldSchemas('detailed'),
    history: Type.Array(
      Type.Object({
        date: Time,
        deliveryStatus: DeliveryStatus,
        cause: TextLike('ACKNOWLEDGED'),
        deviseId: Nullable(TextLike('pump-1')),
        messageId: Nullable(MessageId),
        reason: Type.Optional(Reason),
      }),
    ),
    attempts: Type.Array(
      Type.Object({
        date: Time,
        transport: TextLike('MQTT'),
        outcome: TextLike('SENT'),
        reason: Type.Optional(Reason),
        number: Type.Optional(PositiveInteger),
        until: Type.Optional(Nullable(Time)),
      }),
    ),
    waits: Nullable(Waits),
    cause: Type.Optional(CauseAnswer),
    ...REPORT_TEXT_SCHEMAS,
    result: Type.Optional(Result),
    resultDropped: Type.Optional(Type.Boolean()),
    lateStatus: Type.Optional(Nullable(DeliveryStatus)),
    lateDate: Type.Optional(Nullable(Time)),
    terms: Type.Optional(Nullable(Terms)),
    idempotencyKey: Type.Optional(Nullable(TextLike('7c9e6679'))),
    repeats: Type.Optional(Count),
    ...Type.Partial(Type.Object(linkFields)).properties,
    dataBytes: Type.Optional(Count),
    previousId: Type.Optional(Nullable(MessageId)),
    nextId: Type.Optional(Nullable(MessageId)),
  },
  { title: 'MessageDetail' },
)

export const MessageCountAnswer = Type.Object(
  { count: Count, isExact: Type.Boolean(), searchedToDate: Nullable(Time) },
  { title: 'MessageCount' },
)

/** Answer to a cancellation. Without `force` it is the answer of the first release. */
export const CancelResult = Type.Object(
  { deliveryStatus: DeliveryStatus, handedOver: Type.Optional(Type.Boolean()) },
  { title: 'CancelResult' },
)

export const ReplayedMessagesAnswer = Type.Object(
  { replayed: Type.Array(MessageId), left: Count, skipped: Count },
  { title: 'ReplayedMessages' },
)

export const DeviceSettingsAnswer = Type.Required(Type.Object(DeviceSettingsBody.properties), {
  title: 'DeviceSettings',
})

/** Response header of an answer 201 or 202. */
export const LOCATION_HEADER = { Location: Text({ description: 'path of what was created' }) }

export const ATTACHMENT_HEADER = { 'Content-Disposition': Text({ description: 'name of the file' }) }
