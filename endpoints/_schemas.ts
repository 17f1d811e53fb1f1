/** Schemas of the request and answer bodies of REST, misspellings included. Not a route. */
import { ROLES } from '../src/auth/clients.ts'
import { MESSAGE_FIELDS } from '../src/broker/message.ts'
import { Choice, Secret, type Static, Text, type TextOptions, Type } from '../src/web/schema.ts'
import { CorrelationId, DeliveryGuarantee, DeliveryStatus, MessageId } from '../src/wire.ts'

/** Schema of a text, with an example for the API description. */
export const TextLike = (example: string, options: TextOptions = {}) =>
  Text({ ...options, examples: [example] })

/** Milliseconds since 1970. */
export const Time = MESSAGE_FIELDS.createdAtMs.schema

const Role = Choice(ROLES, { title: 'Role' })

export const ProducerMessageResult = Type.Object(
  { id: MessageId, tmpId: Type.Union([CorrelationId, Type.Null()]), deliveryStatus: DeliveryStatus },
  { title: 'ProducerMessageResult' },
)

export const StatusResult = Type.Object({ deliveryStatus: DeliveryStatus }, { title: 'StatusResult' })

export const ConsumerMessage = Type.Object(
  {
    id: MessageId,
    currentTimestamp: Time,
    command: TextLike('start'),
    believerGuarantee: DeliveryGuarantee,
    data: MESSAGE_FIELDS.data.schema,
  },
  { title: 'ConsumerMessage' },
)

/**
 * Maximum bytes of a login, so that a flood of long passwords is refused before it is read. The longest valid one has 3,601
 * as JSON with every character escaped: a device id of 255 characters of 12 bytes, a password of 72 of 6 bytes, 109 for
 * the rest. White space and further members have the other bytes.
 */
export const LOGIN_BYTES = 4_096

/**
 * Device id in a login. It is bounded, since the server counts failed logins by id. A password is bounded by
 * {@link LOGIN_BYTES} alone: a password that is too long is wrong like any other.
 */
const ClientId = TextLike('pump-1', { maxLength: 255 })

const Password = Secret({ examples: ['a password'] })

export type LoginRequest = Static<typeof LoginRequest>
export const LoginRequest = Type.Object({ deviseId: ClientId, password: Password }, { title: 'LoginRequest' })

export const LoginResult = Type.Object(
  {
    accessToken: TextLike('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
    tokenType: Type.Literal('Bearer'),
    deviseId: TextLike('pump-1'),
    role: Role,
  },
  { title: 'LoginResult' },
)

export const SessionAnswer = Type.Object({ deviseId: TextLike('pump-1'), role: Role }, { title: 'Session' })

export type CredentialCheck = Static<typeof CredentialCheck>
export const CredentialCheck = Type.Object(
  { username: ClientId, password: Password },
  { title: 'CredentialCheck' },
)

export const CredentialDecision = Type.Object({ decision: Type.Boolean() }, { title: 'CredentialDecision' })
