/**
 * Defines the actions on many messages: which messages an action skips, and how it changes a message. Knows no HTTP.
 */
import type { Actor } from '../../audit/audit.ts'
import type { MessageExtras } from '../contract/message-log.ts'
import type { Broker } from '../engine/broker.ts'
import type { MessageRecord } from '../vocabulary/message.ts'
import { replayRefusal } from '../vocabulary/status.ts'

/**
 * CANCEL: cancels pending messages. REPLAY: returns UNKNOWN messages to their queues. RESEND: sends the commands of
 * ended messages again.
 */
export const BULK_ACTIONS = ['CANCEL', 'REPLAY', 'RESEND'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** Reasons for skipping a message that are not failures. */
export const SKIP_CODES = [
  'unknown-message',
  'not-pending',
  'handed-over',
  'not-unknown',
  'still-pending',
  'already-resent',
] as const
export type SkipCode = (typeof SKIP_CODES)[number]

export type Candidate = MessageRecord & { readonly extras: MessageExtras }

export type BulkBroker = Pick<Broker, 'cancel' | 'replay' | 'enqueue'>

export interface BulkOptions {
  readonly by: Actor
  /** True also cancels messages that were dispatched and not acknowledged. */
  readonly force: boolean
}

interface ActionRules {
  /** Returns a skip code if the status alone excludes the message, so that the extras need not be read. */
  isRuledOut(message: MessageRecord): SkipCode | null
  /** Returns a skip code if the extras exclude the message. */
  isRuledOutByExtras(extras: MessageExtras, force: boolean): SkipCode | null
  /** Performs the action. The audit trail has one line for all messages, so this method adds none. */
  perform(broker: BulkBroker, message: MessageRecord, options: BulkOptions): Promise<unknown>
}

export const BULK_RULES: Record<BulkAction, ActionRules> = {
  CANCEL: {
    isRuledOut: ({ status }) => (status === 'NOT_DELIVERED' ? null : 'not-pending'),
    isRuledOutByExtras: ({ attemptCount }, force) => (attemptCount > 0 && !force ? 'handed-over' : null),
    perform: (broker, { id }, { by, force }) => broker.cancel(id, { by, force, isAudited: false }),
  },
  REPLAY: {
    isRuledOut: ({ status, guarantee }) =>
      replayRefusal({ status, guarantee, isExpired: false }) === null ? null : 'not-unknown',
    isRuledOutByExtras: () => null,
    perform: (broker, { id }, { by }) => broker.replay(id, { by, isAudited: false }),
  },
  RESEND: {
    isRuledOut: ({ status }) => (status === 'NOT_DELIVERED' ? 'still-pending' : null),
    isRuledOutByExtras: ({ resentAs }) => (resentAs === null ? null : 'already-resent'),
    perform: (broker, { id, deviceId, command, guarantee, data }, { by }) =>
      broker.enqueue({
        deviceId,
        command,
        guarantee,
        data,
        senderId: by.clientId,
        links: { resentFrom: id },
      }),
  },
}

/** Returns the reason why an action skips a message; null if it does not. */
export function skipCodeOf(
  action: BulkAction,
  { extras, ...message }: Candidate,
  force: boolean,
): SkipCode | null {
  const rules = BULK_RULES[action]
  return rules.isRuledOut(message) ?? rules.isRuledOutByExtras(extras, force)
}
