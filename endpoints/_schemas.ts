/** The shapes that REST alone has on the wire. Not a route. */
import { type Static, Text, Type } from '../src/web/schema.ts'

/** Bounded: failed logins are counted by it. A password is not: a long one is wrong like any other. */
const ClientId = Text({ maxLength: 255 })

export type LoginRequest = Static<typeof LoginRequest>
export const LoginRequest = Type.Object({ deviseId: ClientId, password: Text() })

export type CredentialCheck = Static<typeof CredentialCheck>
export const CredentialCheck = Type.Object({ username: ClientId, password: Text() })
