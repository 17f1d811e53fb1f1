/** The wire's shapes and spellings, misspellings included. Not a route. Inside, names are correct English. */
import { ACK_STATUSES, GUARANTEES } from '../src/broker/status.ts'
import type { Waiting } from '../src/broker/store.ts'
import { JsonText } from '../src/web/endpoint.ts'
import { Choice, OpaqueObject, type Static, Text, type TSchema, Type } from '../src/web/schema.ts'

/** May be left out; null counts as left out. */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** An integer that every JSON parser gives back as it was. */
const SafeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

export const DeviceId = Text({ minLength: 1, maxLength: 255, noControls: true })
export const MessageId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export type ProducerMessage = Static<typeof ProducerMessage>
export const ProducerMessage = Type.Object({
  command: Text({ minLength: 1, maxLength: 255 }),
  believerGuarantee: Maybe(Choice(GUARANTEES)),
  data: Maybe(OpaqueObject()),
  messageBirthCertificate: Maybe(
    Type.Object({ tmpId: Maybe(SafeInteger), producerDeviseId: Maybe(Text({ maxLength: 255 })) }),
  ),
})

export type Acknowledgement = Static<typeof Acknowledgement>
export const Acknowledgement = Type.Object({ id: MessageId, deliveryStatus: Maybe(Choice(ACK_STATUSES)) })

/** Bounded: failed logins are counted by it. A password is not: a long one is wrong like any other. */
const ClientId = Text({ maxLength: 255 })

export type LoginRequest = Static<typeof LoginRequest>
export const LoginRequest = Type.Object({ deviseId: ClientId, password: Text() })

export type CredentialCheck = Static<typeof CredentialCheck>
export const CredentialCheck = Type.Object({ username: ClientId, password: Text() })

/** A message as a device gets it. Joined, not built, so that `data` stays the text it was. */
export function deliveredMessage({
  id,
  command,
  guarantee,
  data,
  atMs,
}: Waiting & { atMs: number }): JsonText {
  const name = JSON.stringify(command)
  return new JsonText(
    `{"id":${id},"currentTimestamp":${atMs},"command":${name},"believerGuarantee":"${guarantee}","data":${data}}`,
  )
}
