/** Schemas of the answers of the admin API. Not a route. */
import { ROLES } from '../../../src/auth/clients.ts'
import { MESSAGE_FIELD_LIST, MESSAGE_FIELDS } from '../../../src/broker/message.ts'
import { Choice, Text, type TSchema, Type } from '../../../src/web/schema.ts'
import { DeliveryGuarantee, DeliveryStatus, MessageId } from '../../../src/wire.ts'
import { TextLike, Time } from '../../_schemas.ts'
import { DeviceSettingsBody } from './_schemas.ts'

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const PositiveInteger = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })

export const ClientAnswer = Type.Object(
  {
    id: PositiveInteger,
    deviseId: TextLike('pump-1'),
    role: Choice(ROLES, { title: 'Role' }),
    description: TextLike('pump in the cellar'),
  },
  { title: 'Client' },
)

export const ClientsCsv = Type.String({ contentMediaType: 'text/csv' })

export const ImportAnswer = Type.Object(
  {
    id: Type.Integer({ minimum: 0, description: '0 for a dry run' }),
    state: Choice(['PLANNED', 'RUNNING', 'DONE', 'STOPPED']),
    lines: Count,
    done: Count,
    created: Count,
    changed: Count,
    unchanged: Count,
    errors: Type.Array(
      Type.Object({
        line: Type.Integer({ minimum: 1 }),
        deviseId: Nullable(TextLike('pump-1')),
        message: TextLike('An earlier line has this deviseId. Remove one of the lines.'),
      }),
    ),
  },
  { title: 'ImportReport' },
)

export const TemplateAnswer = Type.Object(
  {
    id: PositiveInteger,
    clientId: PositiveInteger,
    deviseId: TextLike('pump-1'),
    description: TextLike('start at full speed'),
    command: TextLike('start'),
    deliveryGuarantee: DeliveryGuarantee,
    data: MESSAGE_FIELDS.data.schema,
  },
  { title: 'Template' },
)

/** Returns the schemas of the fields of a message that admins see, by their names on the wire. */
const fieldSchemas = (name: 'listed' | 'detailed'): Record<string, TSchema> =>
  Object.fromEntries(
    MESSAGE_FIELD_LIST.flatMap(([, field]) => {
      const { [name]: wireName, schema, nullable } = field
      return wireName === undefined ? [] : [[wireName, nullable ? Nullable(schema) : schema]]
    }),
  )

const listedFields = fieldSchemas('listed')

export const MessageAnswer = Type.Object(listedFields, { title: 'Message' })

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
      }),
    ),
    attempts: Type.Array(Type.Object({ date: Time, transport: TextLike('MQTT'), outcome: TextLike('SENT') })),
    waits: Nullable(
      Type.Object({
        reason: Choice(['BEHIND', 'GAP', 'DEVICE_AWAY', 'ACKNOWLEDGEMENT', 'GOING_OUT']),
        messageId: Nullable(MessageId),
        until: Nullable(Time),
      }),
    ),
  },
  { title: 'MessageDetail' },
)

export const DeviceSettingsAnswer = Type.Required(Type.Object(DeviceSettingsBody.properties), {
  title: 'DeviceSettings',
})

export const DeviceAnswer = Type.Object(
  {
    deviseId: TextLike('pump-1'),
    clientId: Nullable(PositiveInteger),
    waiting: Type.Integer({ minimum: 0 }),
    oldestWaitingDate: Nullable(Time),
    lastSeenDate: Nullable(Time),
    transport: Nullable(TextLike('MQTT')),
    lastMessage: Nullable(
      Type.Object({ id: MessageId, command: TextLike('start'), deliveryStatus: DeliveryStatus, date: Time }),
    ),
    settings: Type.Optional(DeviceSettingsAnswer),
  },
  { title: 'Device' },
)

/** Response header of an answer 201 or 202. */
export const LOCATION_HEADER = { Location: Text({ description: 'path of what was created' }) }

/** Response header of a download. */
export const ATTACHMENT_HEADER = { 'Content-Disposition': Text({ description: 'name of the file' }) }
