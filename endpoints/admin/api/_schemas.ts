/** The shapes of the admin API on the wire, misspellings included. Not a route. */
import type { ClientRecord } from '../../../src/auth/clients.ts'
import { ROLES } from '../../../src/auth/clients.ts'
import { Choice, Maybe, type Static, Text, Type } from '../../../src/web/schema.ts'
import { DeviceId } from '../../../src/wire.ts'

/** Of a client, a template. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

const Description = Text({ maxLength: 4096 })

export type NewClient = Static<typeof NewClient>
export const NewClient = Type.Object({
  deviseId: DeviceId,
  password: Text({ minLength: 1 }),
  role: Maybe(Choice(ROLES)),
  description: Maybe(Description),
})

export type ClientChange = Static<typeof ClientChange>
export const ClientChange = Type.Object({
  /** May be sent along, but not changed. */
  deviseId: Maybe(DeviceId),
  /** Empty: the password stays. */
  password: Maybe(Text()),
  role: Maybe(Choice(ROLES)),
  description: Maybe(Description),
})

/** A client as the admin sees it: its password is never told. */
export function shownClient({ id, deviceId, role, description }: ClientRecord) {
  return { id, deviseId: deviceId, role, description }
}
