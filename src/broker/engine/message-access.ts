/** Hides the messages of other clients: a message on which a client may not act does not exist for the client. */
import type { Actor } from '../../audit/audit.ts'
import type { MessageStore } from '../contract/store.ts'
import { unknownMessage } from '../vocabulary/errors.ts'
import type { MessageParties } from '../vocabulary/message.ts'

/**
 * Decides whether a client may act on a message, by the clients concerned by the message. Null permits every client.
 */
export type MayAct = ((parties: MessageParties) => boolean) | null

/** The circumstances of a change that a client makes. */
export interface ActOptions {
  readonly by: Actor
  readonly mayAct?: MayAct
  /** False if the caller adds one line to the audit trail for many messages. */
  readonly isAudited?: boolean
}

/** Returns the clients concerned by a message. @throws {BrokerError} unknown-message, also for a hidden message */
export async function partiesFor(
  messages: Pick<MessageStore, 'parties'>,
  messageId: number,
  mayAct: MayAct,
): Promise<MessageParties> {
  const parties = await messages.parties(messageId)
  if (parties === null || (mayAct !== null && !mayAct(parties))) throw unknownMessage(messageId)
  return parties
}
