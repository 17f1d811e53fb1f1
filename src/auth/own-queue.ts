/** For which device ids a client may act: one rule, for every transport. Knows neither paths nor topics. */

/** Who asks; an identity of the web framework has this shape too. */
export interface Client {
  readonly id: string
  readonly roles: readonly string[]
  /** True: access checks are off. */
  readonly unrestricted?: boolean
}

/**
 * Whether a client may act as the consumer, or as the producer, of that id: take its commands, acknowledge them, be
 * told of its results and errors. Sending a command to a device is acting as oneself.
 *
 * @param deviceId null: every one
 */
export type MayActFor = (client: Client | null, deviceId: string | null) => boolean

/** @param ownQueueOnly APP_SECURITY_OWN_QUEUE_ONLY; otherwise every client may act for every device */
export function queueRule(ownQueueOnly: boolean): MayActFor {
  if (!ownQueueOnly) return () => true
  return (client, deviceId) =>
    client !== null && (client.unrestricted || client.roles.includes('MAN') || client.id === deviceId)
}

/** What a producer calls itself that wants to be told nowhere in particular. */
const NOBODY = '0'

/** Whether a client may have results told to that producer, by its messages' birth certificate. */
export function mayBeTold(mayActFor: MayActFor, client: Client | null, producerId: string | null): boolean {
  return producerId === null || producerId === NOBODY || mayActFor(client, producerId)
}
