/** Schemas of the request and answer bodies of REST, misspellings included. Not a route. */
import { ROLES } from '../src/auth/clients.ts'
import { Choice, RawJsonObject, Secret, type Static, Text, Type } from '../src/web/schema.ts'
import { CorrelationId, DeliveryGuarantee, DeliveryStatus, MessageId } from '../src/wire.ts'

const Role = Choice(ROLES, { title: 'Role' })

export const ProducerMessageResult = Type.Object(
  { id: MessageId, tmpId: Type.Union([CorrelationId, Type.Null()]), deliveryStatus: DeliveryStatus },
  { title: 'ProducerMessageResult' },
)

export const StatusResult = Type.Object({ deliveryStatus: DeliveryStatus }, { title: 'StatusResult' })

export const ConsumerMessage = Type.Object(
  {
    id: MessageId,
    currentTimestamp: Type.Integer({ description: 'milliseconds since 1970' }),
    command: Text(),
    believerGuarantee: DeliveryGuarantee,
    data: RawJsonObject(),
  },
  { title: 'ConsumerMessage' },
)

/**
 * Device id in a login. It is bounded, since the server counts failed logins by id. A password is not bounded: a
 * password that is too long is wrong like any other.
 */
const ClientId = Text({ maxLength: 255 })

export type LoginRequest = Static<typeof LoginRequest>
export const LoginRequest = Type.Object({ deviseId: ClientId, password: Secret() }, { title: 'LoginRequest' })

export const LoginResult = Type.Object(
  { accessToken: Text(), tokenType: Type.Literal('Bearer'), deviseId: Text(), role: Role },
  { title: 'LoginResult' },
)

export const SessionAnswer = Type.Object({ deviseId: Text(), role: Role }, { title: 'Session' })

export type CredentialCheck = Static<typeof CredentialCheck>
export const CredentialCheck = Type.Object(
  { username: ClientId, password: Secret() },
  { title: 'CredentialCheck' },
)

export const CredentialDecision = Type.Object({ decision: Type.Boolean() }, { title: 'CredentialDecision' })
