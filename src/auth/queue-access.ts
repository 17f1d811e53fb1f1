/** Decides for which device ids a client may act: one rule, for every transport. Knows neither paths nor topics. */

/** The client that asks. An identity of the web framework has this shape too. */
export interface Client {
  readonly id: string
  readonly roles: readonly string[]
  /** True: access checks are off. */
  readonly unrestricted?: boolean
}

/**
 * Tells whether a client may act as the consumer, or as the producer, of a device id: fetch its commands, acknowledge
 * them, receive its results and errors. Sending a command to a device is acting as oneself.
 *
 * @param deviceId null: every device
 */
export type CanActFor = (client: Client | null, deviceId: string | null) => boolean

/** @param ownQueueOnly APP_SECURITY_OWN_QUEUE_ONLY; otherwise every client may act for every device */
export function queueAccess(ownQueueOnly: boolean): CanActFor {
  if (!ownQueueOnly) return () => true
  return (client, deviceId) =>
    client !== null && (client.unrestricted || client.roles.includes('MAN') || client.id === deviceId)
}

/** Producer id of a message whose producer wants no results. */
const NO_PRODUCER = '0'

/** Tells whether a client may have results sent to the producer that its message's birth certificate names. */
export function canReceiveResults(
  canActFor: CanActFor,
  client: Client | null,
  producerId: string | null,
): boolean {
  return producerId === null || producerId === NO_PRODUCER || canActFor(client, producerId)
}
