/** Declares the promise API of the library's session storage. The library's own types cover only the callback API. */
declare module 'aedes-persistence/asyncPersistence.js' {
  import type { Readable } from 'node:stream'
  import type { AedesPublishPacket, Client, Subscription } from 'aedes'

  /** Identity of an acknowledged message. Messages without an identifier are distinguished by the library's counter. */
  export type AcknowledgedPacket = Pick<AedesPublishPacket, 'messageId'> &
    Partial<Pick<AedesPublishPacket, 'brokerCounter'>>

  export default class MemoryPersistence {
    storeRetained(packet: AedesPublishPacket): Promise<void>
    addSubscriptions(client: Client, subscriptions: Subscription[]): Promise<void>
    removeSubscriptions(client: Pick<Client, 'id'>, filters: string[]): Promise<void>
    cleanSubscriptions(client: Pick<Client, 'id'>): Promise<void>
    subscriptionsByClient(client: Pick<Client, 'id'>): Promise<Subscription[]>
    createRetainedStreamCombi(filters: string[]): Readable
    outgoingEnqueue(subscription: { clientId: string }, packet: AedesPublishPacket): Promise<void>
    outgoingEnqueueCombi(subscriptions: { clientId: string }[], packet: AedesPublishPacket): Promise<void>
    outgoingUpdate(client: Pick<Client, 'id'>, packet: AedesPublishPacket): Promise<void>
    outgoingClearMessageId(
      client: Pick<Client, 'id'>,
      packet: AcknowledgedPacket,
    ): Promise<AedesPublishPacket | undefined>
    getWill(client: Pick<Client, 'id'>): Promise<AedesPublishPacket | undefined>
    delWill(client: Pick<Client, 'id'>): Promise<AedesPublishPacket | undefined>
    outgoingStream(client: Pick<Client, 'id'>): Readable
    incomingStorePacket(client: Pick<Client, 'id'>, packet: AedesPublishPacket): Promise<void>
    incomingGetPacket(client: Pick<Client, 'id'>, packet: AedesPublishPacket): Promise<AedesPublishPacket>
    incomingDelPacket(client: Pick<Client, 'id'>, packet: AedesPublishPacket): Promise<void>
  }
}
