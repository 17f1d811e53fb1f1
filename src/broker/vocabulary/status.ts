/**
 * Describes the life of a message as data. A storage driver applies a transition to a message in one transaction, and
 * nothing else changes a status. The client, the page and the command line read this file too, so it imports nothing.
 */

/**
 * Meaning of a status for the command. `withdrawn`: the message left its queue without the device. `unclear`: the
 * device may have received the command.
 *
 * @example
 * ```ts
 * const isOver = (kind: StatusKind) => kind !== 'pending' && kind !== 'delivered'
 * ```
 */
export type StatusKind = 'pending' | 'delivered' | 'succeeded' | 'failed' | 'withdrawn' | 'unclear'

/*
 *                        ┌──────────────────────── replayed ────────────────────────┐
 *                        ▼                                                          │
 *   enqueue ─────► NOT_DELIVERED ──────────── parked, expiredInFlight ───────────► UNKNOWN
 *                   │    │    │                                                   ▲  │  │
 *                   │    │    └─ ackDelivered, dispatchedOnce ─► DELIVERED ───────┘  │  │   notFinished, dispatchFailed
 *                   │    │                                        │    ▲             │  │
 *                   │    │                                        │    └─────────────┘  │   ackDelivered
 *                   │    └─ ackCompleted, ackFailed ──────────────┴──────────┬──────────┘
 *                   ▼                                                        ▼
 *               CANCELLED                                       COMPLETED, COMPLETED_WITH_ERROR
 *    cancelled, cancelledByForce, superseded, expired
 */

/**
 * Statuses, each with its kind. Looks, exit codes and the index of rare messages derive from the kind.
 *
 * @example
 * ```ts
 * const colours = { succeeded: 'green', failed: 'red' } as const
 * const kind = STATUS_KINDS[await client.status(17)]
 * ```
 */
export const STATUS_KINDS = {
  NOT_DELIVERED: 'pending',
  DELIVERED: 'delivered',
  COMPLETED: 'succeeded',
  COMPLETED_WITH_ERROR: 'failed',
  CANCELLED: 'withdrawn',
  UNKNOWN: 'unclear',
} as const satisfies Record<string, StatusKind>
export type Status = keyof typeof STATUS_KINDS

/**
 * Statuses of a message.
 *
 * @example
 * ```ts
 * const isStatus = (text: string) => STATUSES.some((status) => status === text)
 * ```
 */
export const STATUSES = Object.keys(STATUS_KINDS) as Status[]

/** Statuses that a consumer may report. */
export const ACK_STATUSES = ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const
export type AckStatus = (typeof ACK_STATUSES)[number]

/** Guarantees that a producer chooses from. */
export const GUARANTEES = ['NO', 'RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const
export type Guarantee = (typeof GUARANTEES)[number]

/**
 * Reasons of statuses. LATE is not a reason: it marks a report in the history that came after a final status and
 * changed nothing.
 */
export const CAUSES = [
  'STORED',
  'HANDED_OVER',
  'ACKNOWLEDGED',
  'SUPERSEDED',
  'CANCELLED',
  'CONNECTION_BROKE',
  'EXPIRED',
  'NOT_ACKNOWLEDGED',
  'NOT_FINISHED',
  'REPLAYED',
  'LATE',
] as const
export type Cause = (typeof CAUSES)[number]

export interface Transition {
  readonly from: readonly Status[]
  readonly to: Status
  readonly cause: Cause
  /** The only guarantee to which the transition applies. Default: all guarantees. */
  readonly guarantee?: Guarantee
  /** A guarantee to which the transition does not apply. */
  readonly exceptGuarantee?: Guarantee
  /** A cause from which the transition does not start. */
  readonly exceptCause?: Cause
  /** True: only for a message that was dispatched; false: only for a message that was never dispatched. Default: for both. */
  readonly dispatched?: boolean
  /** True: only before the validity of the message ends. */
  readonly valid?: true
}

/** All allowed changes of a status. {@link applies} has the rule for all of their members. */
export const TRANSITIONS = {
  /** The broker dispatched a message that needs no acknowledgement. */
  dispatchedOnce: { from: ['NOT_DELIVERED'], to: 'DELIVERED', cause: 'HANDED_OVER', guarantee: 'NO' },
  /** The connection broke while a NO message was being sent. */
  dispatchFailed: { from: ['DELIVERED'], to: 'UNKNOWN', cause: 'CONNECTION_BROKE', guarantee: 'NO' },
  /** A message with the cause NOT_FINISHED stays UNKNOWN, because its device had already confirmed it. */
  ackDelivered: {
    from: ['NOT_DELIVERED', 'UNKNOWN'],
    to: 'DELIVERED',
    cause: 'ACKNOWLEDGED',
    exceptCause: 'NOT_FINISHED',
  },
  ackCompleted: { from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'], to: 'COMPLETED', cause: 'ACKNOWLEDGED' },
  ackFailed: {
    from: ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN'],
    to: 'COMPLETED_WITH_ERROR',
    cause: 'ACKNOWLEDGED',
  },
  /** A later ONLY_LAST message with the same command was stored, or a message that names this one in `replaces`. */
  superseded: { from: ['NOT_DELIVERED'], to: 'CANCELLED', cause: 'SUPERSEDED' },
  /** A client cancelled a message that was never dispatched. */
  cancelled: { from: ['NOT_DELIVERED'], to: 'CANCELLED', cause: 'CANCELLED', dispatched: false },
  /** A client cancelled a message although the device may have it. */
  cancelledByForce: { from: ['NOT_DELIVERED'], to: 'CANCELLED', cause: 'CANCELLED' },
  /** The validity of a message that was never dispatched ended. */
  expired: { from: ['NOT_DELIVERED'], to: 'CANCELLED', cause: 'EXPIRED', dispatched: false },
  /** The validity of a dispatched message ended, and no attempt runs. */
  expiredInFlight: { from: ['NOT_DELIVERED'], to: 'UNKNOWN', cause: 'EXPIRED', dispatched: true },
  /** The last attempt ended without an acknowledgement. */
  parked: { from: ['NOT_DELIVERED'], to: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', exceptGuarantee: 'NO' },
  /** The finish deadline passed without a final status. */
  notFinished: { from: ['DELIVERED'], to: 'UNKNOWN', cause: 'NOT_FINISHED' },
  /** A client returned the message to its place in the queue. */
  replayed: {
    from: ['UNKNOWN'],
    to: 'NOT_DELIVERED',
    cause: 'REPLAYED',
    exceptGuarantee: 'NO',
    valid: true,
  },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof TRANSITIONS

/** The facts about a message that decide which transitions apply. */
export interface TransitionFacts {
  readonly status: Status
  /** Cause of the latest change; null where the status tells it. */
  readonly cause: Cause | null
  readonly guarantee: Guarantee
  readonly wasDispatched: boolean
  readonly isExpired: boolean
}

/** Returns whether a transition applies to a message. */
export function applies(name: TransitionName, facts: TransitionFacts): boolean {
  const rule: Transition = TRANSITIONS[name]
  if (!rule.from.includes(facts.status)) return false
  if (rule.guarantee !== undefined && rule.guarantee !== facts.guarantee) return false
  if (rule.exceptGuarantee === facts.guarantee) return false
  if (rule.exceptCause !== undefined && rule.exceptCause === facts.cause) return false
  if (rule.dispatched !== undefined && rule.dispatched !== facts.wasDispatched) return false
  return rule.valid !== true || !facts.isExpired
}

/** Returns the transition of a cancellation. @param force true: also of a message that was dispatched */
export function cancellation(force: boolean): TransitionName {
  return force ? 'cancelledByForce' : 'cancelled'
}

/** Returns why a message cannot be replayed; null when it can. */
export function replayRefusal(
  message: Pick<TransitionFacts, 'status' | 'guarantee' | 'isExpired'>,
): 'not-unknown' | 'expired' | null {
  const facts = { ...message, cause: null, wasDispatched: true }
  if (applies('replayed', facts)) return null
  return applies('replayed', { ...facts, isExpired: false }) ? 'expired' : 'not-unknown'
}

/** Causes of the changes by which a device has its message. */
export const DELIVERY_CAUSES: readonly Cause[] = ['ACKNOWLEDGED', 'HANDED_OVER']

/** Causes that the record of a message shows. The status tells the others. */
export const SHOWN_CAUSES: readonly Cause[] = CAUSES.filter(
  (cause) => !['STORED', 'LATE', ...DELIVERY_CAUSES].includes(cause),
)

/** Causes of the changes that the history keeps beside the record of the message. */
export const LISTED_CAUSES: readonly Cause[] = ['EXPIRED', 'NOT_ACKNOWLEDGED', 'NOT_FINISHED', 'REPLAYED']

/**
 * Statuses that no transition leaves.
 *
 * @example
 * ```ts
 * const status = await client.waitFor(17, FINAL_STATUSES, { timeoutMs: 60_000 })
 * ```
 */
export const FINAL_STATUSES: readonly Status[] = STATUSES.filter((status) =>
  Object.values(TRANSITIONS).every(({ from }) => !(from as readonly Status[]).includes(status)),
)

/** Returns the single status of messages with a cause; null if they may have several. */
export function statusOfCause(cause: Cause): Status | null {
  const transitions = Object.values(TRANSITIONS).filter((transition) => transition.cause === cause)
  const [status = null, ...others] = new Set(transitions.map(({ to }) => to))
  return others.length === 0 ? status : null
}

/**
 * Returns whether a status is final or UNKNOWN, so that the broker no longer changes it by itself.
 *
 * @example
 * ```ts
 * while (!isEnded(await client.status(17))) await pause(1_000)
 * ```
 */
export function isEnded(status: Status): boolean {
  return status === 'UNKNOWN' || FINAL_STATUSES.includes(status)
}

/** Causes of messages that left their queue without an acknowledgement: CANCELLED and UNKNOWN. */
export const WITHDRAWN_CAUSES = [
  'SUPERSEDED',
  'CANCELLED',
  'EXPIRED',
  'NOT_ACKNOWLEDGED',
  'NOT_FINISHED',
  'CONNECTION_BROKE',
] as const satisfies readonly Cause[]

const RARE_KINDS: readonly StatusKind[] = ['failed', 'withdrawn', 'unclear']

/** Statuses that few messages have, so that an index of those messages is short. */
export const RARE_STATUSES: readonly Status[] = STATUSES.filter((status) =>
  RARE_KINDS.includes(STATUS_KINDS[status]),
)

/** Statuses of failed messages: the device reported an error, or its result is unknown. */
export const FAILED_STATUSES: readonly Status[] = STATUSES.filter((status) =>
  (['failed', 'unclear'] as readonly StatusKind[]).includes(STATUS_KINDS[status]),
)

/** Returns whether a report that changed no status is kept as LATE. @param current the status of the message */
export function isLate(reported: AckStatus, current: Status): boolean {
  if (current === 'CANCELLED') return true
  return FINAL_STATUSES.includes(current) && reported !== current && reported !== 'DELIVERED'
}

export const ACK_TRANSITIONS: Record<AckStatus, TransitionName> = {
  DELIVERED: 'ackDelivered',
  COMPLETED: 'ackCompleted',
  COMPLETED_WITH_ERROR: 'ackFailed',
}
