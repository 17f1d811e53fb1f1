/**
 * Describes the life of a message as data. A storage driver turns a transition into one conditional update, and nothing
 * else changes a status. The client, the page and the command line read this file too, so it imports nothing.
 */

/**
 * The meaning of a status for its command. `withdrawn`: the message left its queue without the device. `unclear`: the
 * device may have received the command.
 */
export type StatusKind = 'pending' | 'delivered' | 'succeeded' | 'failed' | 'withdrawn' | 'unclear'

/*
 *                    ┌────────── send (NO) ──────────┐
 *                    │                               ▼
 *   enqueue ──► NOT_DELIVERED ── ackDelivered ──► DELIVERED ─── sendFailed (NO) ───► UNKNOWN
 *                │   │                             │                                    │
 *                │   └──── ackCompleted, ──────────┴────────────────────────────────────┤
 *                │         ackFailed        ackDelivered leads from UNKNOWN back to DELIVERED
 *                ▼                                                                      ▼
 *            CANCELLED (supersede, cancel)                 COMPLETED, COMPLETED_WITH_ERROR
 */

/** The statuses, each with its kind. Looks, exit codes and the index of rare messages follow from the kind. */
export const STATUS_KINDS = {
  NOT_DELIVERED: 'pending',
  DELIVERED: 'delivered',
  COMPLETED: 'succeeded',
  COMPLETED_WITH_ERROR: 'failed',
  CANCELLED: 'withdrawn',
  UNKNOWN: 'unclear',
} as const satisfies Record<string, StatusKind>
export type Status = keyof typeof STATUS_KINDS
export const STATUSES = Object.keys(STATUS_KINDS) as Status[]

/** The statuses that a consumer may report. */
export const ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const
export type AckStatus = (typeof ACK_STATUSES)[number]

/** Guarantees that a producer chooses from. */
export const GUARANTEES = ['NO', 'RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const
export type Guarantee = (typeof GUARANTEES)[number]

/** One allowed change of a status. */
export interface Transition {
  readonly from: readonly Status[]
  readonly to: Status
  /** The only guarantee that the transition applies to. Without it the transition applies to all guarantees. */
  readonly guarantee?: Guarantee
}

/** All allowed changes of a status. */
export const TRANSITIONS = {
  /** The broker dispatched a message that needs no acknowledgement. */
  send: { from: ['NOT_DELIVERED'], to: 'DELIVERED', guarantee: 'NO' },
  /** The connection broke while a NO message was being sent. */
  sendFailed: { from: ['DELIVERED'], to: 'UNKNOWN', guarantee: 'NO' },
  ackDelivered: { from: ['NOT_DELIVERED', 'UNKNOWN'], to: 'DELIVERED' },
  ackCompleted: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'COMPLETED' },
  ackFailed: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'COMPLETED_WITH_ERROR' },
  /** A later ONLY_LAST message with the same command for the same device was stored. */
  supersede: { from: ['NOT_DELIVERED'], to: 'CANCELLED' },
  /** A client cancelled the message before its first dispatch. */
  cancel: { from: ['NOT_DELIVERED'], to: 'CANCELLED' },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof TRANSITIONS

/** The statuses that no transition leaves. */
export const FINAL_STATUSES: readonly Status[] = STATUSES.filter((status) =>
  Object.values(TRANSITIONS).every(({ from }) => !(from as readonly Status[]).includes(status)),
)

/** Kinds that few messages have. */
const RARE_KINDS: readonly StatusKind[] = ['failed', 'withdrawn', 'unclear']

/** Statuses that few messages have, so that an index of those messages is short. */
export const RARE_STATUSES: readonly Status[] = STATUSES.filter((status) =>
  RARE_KINDS.includes(STATUS_KINDS[status]),
)

/** The transition of each acknowledgement. */
export const ACK_TRANSITIONS: Record<AckStatus, TransitionName> = {
  DELIVERED: 'ackDelivered',
  COMPLETED: 'ackCompleted',
  COMPLETED_WITH_ERROR: 'ackFailed',
}
