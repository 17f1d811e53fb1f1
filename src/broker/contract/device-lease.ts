/**
 * Storage contract for the dispatch to one device: attempts, the state of a device line, leases, and polls. Types only.
 */
import type { AttemptState, DispatchedMessage, PendingMessage } from '../vocabulary/message.ts'
import type { MaybePromise, Transitioned } from './store.ts'

/** Identifies one attempt. The number alone is ambiguous, because attempts with a deaf device repeat it. */
export interface AttemptKey {
  readonly messageId: number
  readonly number: number
  /** Time of the dispatch, also for display. */
  readonly atMs: number
}

/**
 * Latest unended attempt with a pending message. It survives a restart, with its start and number. Only an
 * acknowledgement, another end of the message, {@link EndedAttempt}, `take`, `park`, `setBusy` and `changeService` end an
 * attempt.
 */
export interface OpenAttempt extends AttemptState, AttemptKey {
  /** Remaining time of the attempt, in milliseconds; 0 when its time is over. */
  readonly runningMs: number
}

export interface DeviceAttempt extends OpenAttempt {
  readonly deviceId: string
}

/**
 * End of an attempt. TIMEOUT: no acknowledgement came in time. CONNECTION: the device has another connection now. BUSY:
 * the device asked for a pause, or is out of service. TOO_LARGE: no connection of the device accepts a message of this size.
 */
export type AttemptOutcome = 'TIMEOUT' | 'CONNECTION' | 'BUSY' | 'TOO_LARGE'

/** Ends of an attempt that park a message. */
export type ParkOutcome = Extract<AttemptOutcome, 'TIMEOUT' | 'TOO_LARGE'>

/** End of an attempt, as decided by the domain. */
export interface EndedAttempt extends AttemptKey {
  readonly outcome: Exclude<AttemptOutcome, 'BUSY' | 'TOO_LARGE'>
}

/** DELIVERED message with a running finish deadline. */
export interface UnfinishedMessage {
  readonly messageId: number
  /** Time until the deadline, in milliseconds. */
  readonly forMs: number
}

/** State of a device line. The store's clock measures all durations. */
export interface LineState {
  /**
   * Time since the latest paced dispatch. Null without one. Never negative: a clock that was set back counts as no
   * time.
   */
  readonly sinceDispatchMs: number | null
  /** Open attempt of the device's oldest message with an open attempt. */
  readonly attempt: OpenAttempt | null
  readonly unfinished: readonly UnfinishedMessage[]
}

/** Rules for one attempt, as decided by the domain. Drivers do not interpret them. */
export interface AttemptRules {
  /**
   * Durations of the attempts in milliseconds, by {@link AttemptState.counted}: the first element is for 1. The last
   * element is for all further attempts.
   */
  readonly durationsMs: readonly number[]
  /** True if a pacing interval applies, so that the time of the dispatch must survive a restart. */
  readonly paced: boolean
  /**
   * True if the device is deaf. A further attempt with a message without its own limit then repeats the number of the
   * last attempt and updates its row, so that neither count nor storage grows. An attempt that ended as BUSY is not
   * repeated.
   */
  readonly deaf: boolean
}

export type Claim =
  | {
      readonly is: 'message'
      readonly message: DispatchedMessage
      /** Resolves when the dispatch is durable; null if it already is. */
      readonly recorded: Promise<unknown> | null
      /** Change of a NO message, which the claim made DELIVERED; null for any other message. */
      readonly transition: Transitioned | null
    }
  /**
   * The queue has nothing to dispatch. `dueInMs`: time until a delayed message is due; null without one. It may count a
   * message whose submit is in progress.
   */
  | { readonly is: 'empty'; readonly dueInMs: number | null }
  /** A message has an open attempt, running or expired, that the caller did not end. The claim took nothing. */
  | { readonly is: 'inFlight'; readonly attempt: OpenAttempt }
  /** A later attach or `release` ended the lease. */
  | { readonly is: 'lost' }

/** Exclusive right of this node to dispatch to one device. */
export interface DeviceLease {
  readonly state: LineState
  /**
   * Claims the oldest due and valid message of the queue for one attempt. This makes a NO message DELIVERED.
   *
   * @param ended ends the open attempt first, in the same transaction; TIMEOUT sets `deliveredError`. Has no effect if the message meanwhile has another attempt, such as an attempt by a poll
   * @throws {BrokerError} Nothing was claimed, and the caller reports `ended` again
   */
  claim(ended: EndedAttempt | null, rules: AttemptRules): MaybePromise<Claim>
  /** Ends the lease, unless a later attach already ended it. Resolves when the lease is over. */
  release(): MaybePromise<void>
}

export interface Head {
  /** Message of the running attempt. Without a running attempt, the oldest due and valid message. */
  readonly message: PendingMessage
  /** Open attempt of the device; null without one. An expired attempt may belong to another message. */
  readonly attempt: OpenAttempt | null
}

export interface Taken {
  readonly message: DispatchedMessage
  /** Change of a NO message, which the poll made DELIVERED; null for any other message. */
  readonly transition: Transitioned | null
}
