/**
 * The part of the storage contract that the dispatch to one device needs: attempts, the state of a device line, leases, and
 * what a poll takes. Types only.
 */
import type { AttemptState, DispatchedMessage, PendingMessage } from '../vocabulary/message.ts'
import type { Soon, Transitioned } from './store.ts'

/** Identifies one attempt. The number is not enough, since attempts with a deaf device repeat it. */
export interface AttemptKey {
  readonly messageId: number
  readonly number: number
  /** Time of the dispatch, also for display. */
  readonly atMs: number
}

/**
 * The latest attempt with a pending message that nothing has ended. It survives a restart, with its start and number.
 * Only an acknowledgement, another end of the message, {@link EndedAttempt}, `take`, `park` and `setBusy` end an attempt.
 */
export interface OpenAttempt extends AttemptState, AttemptKey {
  /** Rest of its duration, in milliseconds; 0 when its time is over. */
  readonly runningMs: number
}

/** An open attempt with its device. */
export interface DeviceAttempt extends OpenAttempt {
  readonly deviceId: string
}

/**
 * The end of an attempt. TIMEOUT: no acknowledgement came in time. CONNECTION: the device has another connection now.
 * BUSY: the device asked for a pause. TOO_LARGE: no connection of the device accepts a message of this size.
 */
export type AttemptOutcome = 'TIMEOUT' | 'CONNECTION' | 'BUSY' | 'TOO_LARGE'

/** The ends of an attempt after which a message is parked. */
export type ParkOutcome = Extract<AttemptOutcome, 'TIMEOUT' | 'TOO_LARGE'>

/** The end of an attempt, as the domain decided it. */
export interface EndedAttempt extends AttemptKey {
  readonly outcome: Exclude<AttemptOutcome, 'BUSY' | 'TOO_LARGE'>
}

/** A DELIVERED message whose finish deadline runs. */
export interface UnfinishedMessage {
  readonly messageId: number
  /** Rest of the time until the deadline, in milliseconds. */
  readonly forMs: number
}

/** The state of a device line. The store's clock measures all durations. */
export interface LineState {
  /**
   * Time since the latest paced dispatch. Null when there was none. Never negative: a clock that was set back counts as no
   * time.
   */
  readonly sinceDispatchMs: number | null
  /** The open attempt of the device's oldest message that has one. */
  readonly attempt: OpenAttempt | null
  readonly unfinished: readonly UnfinishedMessage[]
}

/** The rules for one attempt, as the domain decided them. A driver interprets none. */
export interface AttemptRules {
  /**
   * Durations of the attempts in milliseconds, by {@link AttemptState.counted}: the first one for 1. The last one is for
   * all further ones.
   */
  readonly durationsMs: readonly number[]
  /** True when a pacing interval applies, so that the time of the dispatch must survive a restart. */
  readonly paced: boolean
  /**
   * True when the device is deaf. A further attempt with a message without a limit of its own then repeats the number of
   * the last one and updates its row, so that neither count nor storage grows. An attempt that ended as BUSY is not repeated.
   */
  readonly deaf: boolean
}

/** The answer to a claim. */
export type Claim =
  | {
      readonly is: 'message'
      readonly message: DispatchedMessage
      /** Resolves when the dispatch is durable; null when it already is. */
      readonly recorded: Promise<unknown> | null
      /** The change of a NO message, which the claim made DELIVERED; null for any other message. */
      readonly transition: Transitioned | null
    }
  /**
   * The queue has nothing to dispatch. `dueInMs`: time until a delayed message is due; null when none is delayed. It may count a
   * message whose submit is under way.
   */
  | { readonly is: 'empty'; readonly dueInMs: number | null }
  /** A message has an open attempt, running or over, that the caller did not end. The claim took nothing. */
  | { readonly is: 'inFlight'; readonly attempt: OpenAttempt }
  /** The lease is over, by a later attach or by `release`. */
  | { readonly is: 'lost' }

/** The exclusive right of this node to dispatch to one device. */
export interface DeviceLease {
  readonly state: LineState
  /**
   * Takes a message for one attempt: the oldest of the queue that is due and valid. A NO message becomes DELIVERED by this.
   *
   * @param ended ends the open attempt first, in the same transaction; TIMEOUT sets `deliveredError`. It changes nothing when
   *   the message has another attempt meanwhile, such as one that a poll began
   * @throws {BrokerError} Then nothing was taken, and the caller reports `ended` again.
   */
  claim(ended: EndedAttempt | null, rules: AttemptRules): Soon<Claim>
  /** Ends the lease, unless a later attach already did. Resolves when the lease is over. */
  release(): Soon<void>
}

/** The message that a poll may return. */
export interface Head {
  /** The message of the running attempt. Without a running attempt, the oldest message that is due and valid. */
  readonly message: PendingMessage
  /** The open attempt of the device; null when there is none. One whose time is over may be an attempt with another message. */
  readonly attempt: OpenAttempt | null
}

/** The message that a poll took. */
export interface Taken {
  readonly message: DispatchedMessage
  /** The change of a NO message, which the poll made DELIVERED; null for any other message. */
  readonly transition: Transitioned | null
}
