/** Decides for which device ids a client may act: one rule for every transport. Knows neither paths nor topics. */
import type { Role } from './clients.ts'
import type { DeviceList } from './device-list.ts'

/** Client whose rights are checked. Identities of the web framework and grants have this shape. */
export interface Client {
  readonly id: string
  readonly roles: readonly string[]
  /** True if access checks are off. */
  readonly unrestricted?: boolean
  /** Id of the API key that authenticated the client; absent for other credentials. */
  readonly keyId?: number
}

/**
 * Returns whether a client may act as the consumer, or as the producer, of a device id: fetch its commands, acknowledge
 * them, receive its results and errors. To send a command to a device, a client acts for itself. A client with role
 * READER acts for no device.
 *
 * @param deviceId null for all devices
 */
export type CanActFor = (client: Client | null, deviceId: string | null) => boolean

/** Returns the devices that a client may act for, in addition to its own id. */
export type DevicesOf = (clientId: string) => DeviceList

/** Returns whether a client may act for its own id and its devices only. */
export type OwnQueueOnly = (clientId: string) => boolean

export function queueAccess(ownQueueOnly: OwnQueueOnly, devicesOf: DevicesOf): CanActFor {
  return (client, deviceId) => {
    if (client === null) return false
    if (client.unrestricted || client.roles.includes('MAN')) return true
    if (client.roles.includes('READER')) return false
    if (client.id === deviceId || !ownQueueOnly(client.id)) return true
    return deviceId !== null && devicesOf(client.id).covers(deviceId)
  }
}

/**
 * Returns the number of clients with role DEVISE that may act for every device; null if there is at most one.
 *
 * @param ownQueueOnly the general value, for clients without their own value
 */
export function countOpenQueueClients(
  clients: readonly { readonly role: Role; readonly ownQueueOnly: boolean | null }[],
  ownQueueOnly: boolean,
): number | null {
  const isOpen = (own: boolean | null): boolean => !(own ?? ownQueueOnly)
  const open = clients.filter((each) => each.role === 'DEVISE' && isOpen(each.ownQueueOnly)).length
  return open > 1 ? open : null
}

/**
 * Returns the rule by which a client may cancel, replace and replay messages: the messages that it sent. Null for role
 * MAN, and when access checks are off, which means all messages. APP_SECURITY_OWN_QUEUE_ONLY has no effect on this
 * rule.
 */
export function ownMessages(
  client: Client | null,
): ((message: { readonly senderId: string | null }) => boolean) | null {
  if (client?.unrestricted || client?.roles.includes('MAN')) return null
  return ({ senderId }) => senderId !== null && senderId === client?.id
}

/**
 * Returns the id under which a client is recorded; null when access checks are off and the client has not logged in.
 */
export function clientIdOf(client: Client | null): string | null {
  return client?.id || null
}

/** Producer id of a message whose producer wants no results. */
const NO_PRODUCER = '0'

/**
 * Returns whether a client may read the status of a message: its recipient, its sender, its producer and READER may.
 */
export function canReadStatus(
  canActFor: CanActFor,
  client: Client | null,
  message: Readonly<Record<'deviceId' | 'senderId' | 'producerId', string | null>>,
): boolean {
  if (seesAllMessages(client)) return true
  const { deviceId, senderId, producerId } = message
  const ids = [deviceId, senderId, producerId === NO_PRODUCER ? null : producerId]
  return ids.some((id) => id !== null && canActFor(client, id))
}

/**
 * Returns whether a client may read everything about a message: its sender, its producer and roles MAN and READER may.
 * Every client may when access checks are off. APP_SECURITY_OWN_QUEUE_ONLY has no effect on this rule.
 */
export function canReadMessage(
  client: Client | null,
  { senderId, producerId }: Readonly<Record<'senderId' | 'producerId', string | null>>,
): boolean {
  if (seesAllMessages(client)) return true
  const ids = [senderId, producerId === NO_PRODUCER ? null : producerId]
  return ids.some((id) => id !== null && id === client?.id)
}

const READS_ALL: readonly string[] = ['MAN', 'READER']

/** Returns whether a client may read all messages and the ids of all other clients: roles MAN and READER may. */
export function seesAllMessages(client: Client | null): boolean {
  return client?.unrestricted === true || client?.roles.some((role) => READS_ALL.includes(role)) === true
}

/** Returns whether a client may read the status of every message, and the ids of other messages that come with it. */
export function canReadAll(canActFor: CanActFor, client: Client | null): boolean {
  return seesAllMessages(client) || canActFor(client, null)
}

/** Returns whether a client may have results sent to the producer named in its message's birth certificate. */
export function canReceiveResults(
  canActFor: CanActFor,
  client: Client | null,
  producerId: string | null,
): boolean {
  return producerId === null || producerId === NO_PRODUCER || canActFor(client, producerId)
}
