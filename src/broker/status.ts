/** The life of a message, as data. A storage driver turns a transition into one conditional update; nothing else changes a status. */

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

export const STATUSES = [
  'NOT_DELIVERED',
  'DELIVERED',
  'COMPLETED',
  'COMPLETED_WITH_ERROR',
  'CANCELLED',
  'UNKNOWN',
] as const
export type Status = (typeof STATUSES)[number]

/** The statuses that a consumer may report. */
export const ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const
export type AckStatus = (typeof ACK_STATUSES)[number]

export const GUARANTEES = ['NO', 'RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const
export type Guarantee = (typeof GUARANTEES)[number]

export interface Transition {
  readonly from: readonly Status[]
  readonly to: Status
  /** The only guarantee that the transition applies to. Without it the transition applies to all guarantees. */
  readonly guarantee?: Guarantee
}

export const TRANSITIONS = {
  /** The broker dispatched a message that needs no acknowledgement. */
  send: { from: ['NOT_DELIVERED'], to: 'DELIVERED', guarantee: 'NO' },
  /** The connection broke while such a message was being sent. */
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

/** Statuses that few messages have, so that an index of those messages is short. */
export const RARE_STATUSES = ['COMPLETED_WITH_ERROR', 'CANCELLED', 'UNKNOWN'] as const satisfies Status[]

export const ACK_TRANSITIONS: Record<AckStatus, TransitionName> = {
  DELIVERED: 'ackDelivered',
  COMPLETED: 'ackCompleted',
  COMPLETED_WITH_ERROR: 'ackFailed',
}
