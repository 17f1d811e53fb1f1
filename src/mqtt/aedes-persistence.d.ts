/** Types of the library's session storage with promises. The library has types for its callbacks only. */
declare module 'aedes-persistence/asyncPersistence.js' {
  import type { Readable } from 'node:stream'
  import type { AedesPublishPacket, Client, Subscription } from 'aedes'

  export default class MemoryPersistence {
    storeRetained(packet: AedesPublishPacket): Promise<void>
    addSubscriptions(client: Client, subscriptions: Subscription[]): Promise<void>
    cleanSubscriptions(client: Client): Promise<void>
    outgoingEnqueue(subscription: { clientId: string }, packet: AedesPublishPacket): Promise<void>
    outgoingEnqueueCombi(subscriptions: { clientId: string }[], packet: AedesPublishPacket): Promise<void>
    outgoingUpdate(client: Client, packet: AedesPublishPacket): Promise<void>
    outgoingClearMessageId(
      client: Client,
      packet: Pick<AedesPublishPacket, 'messageId'>,
    ): Promise<AedesPublishPacket | undefined>
    getWill(client: Client): Promise<AedesPublishPacket | undefined>
    outgoingStream(client: Client): Readable
    incomingStorePacket(client: Client, packet: AedesPublishPacket): Promise<void>
    incomingGetPacket(client: Client, packet: AedesPublishPacket): Promise<AedesPublishPacket>
    incomingDelPacket(client: Client, packet: AedesPublishPacket): Promise<void>
  }
}
