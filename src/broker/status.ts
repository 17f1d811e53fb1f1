/** The life of a message, as data. Storage drivers turn a move into one conditional update; nothing else changes a status. */

/*
 *                    ┌──────── handOver (NO) ────────┐
 *                    │                               ▼
 *   enqueue ──► NOT_DELIVERED ── ackDelivered ──► DELIVERED ── handOverFailed (NO) ──► UNKNOWN
 *                │   │                             │                                    │
 *                │   └──── ackCompleted, ──────────┴────────────────────────────────────┤
 *                │         ackFailed        ackDelivered leads from UNKNOWN back to DELIVERED
 *                ▼                                                                      ▼
 *            CANCELLED (superseded, cancelled)             COMPLETED, COMPLETED_WITH_ERROR
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

/** What a consumer may report. */
export const ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const
export type AckStatus = (typeof ACK_STATUSES)[number]

export const GUARANTEES = ['NO', 'RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const
export type Guarantee = (typeof GUARANTEES)[number]

export interface Move {
  readonly from: readonly Status[]
  readonly to: Status
  /** The only guarantee that the move applies to; none: all of them. */
  readonly guarantee?: Guarantee
}

export const MOVES = {
  /** A message that nobody will acknowledge went out. */
  handOver: { from: ['NOT_DELIVERED'], to: 'DELIVERED', guarantee: 'NO' },
  /** The connection broke while such a message went out. */
  handOverFailed: { from: ['DELIVERED'], to: 'UNKNOWN', guarantee: 'NO' },
  ackDelivered: { from: ['NOT_DELIVERED', 'UNKNOWN'], to: 'DELIVERED' },
  ackCompleted: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'COMPLETED' },
  ackFailed: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'COMPLETED_WITH_ERROR' },
  /** A later ONLY_LAST message with the same command for the same device was stored. */
  superseded: { from: ['NOT_DELIVERED'], to: 'CANCELLED' },
  /** An admin took it back before it was handed over. */
  cancelled: { from: ['NOT_DELIVERED'], to: 'CANCELLED' },
} as const satisfies Record<string, Move>

export const FINAL_STATUSES: readonly Status[] = ['COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED']

export type MoveName = keyof typeof MOVES

export const ACK_MOVES: Record<AckStatus, MoveName> = {
  DELIVERED: 'ackDelivered',
  COMPLETED: 'ackCompleted',
  COMPLETED_WITH_ERROR: 'ackFailed',
}
