/** Defines the states of the dispatch to one device, its events and its effects. Times are milliseconds of one monotonic clock. */

import type { Claim, EndedAttempt, LineState, OpenAttempt, ParkOutcome } from '../contract/device-lease.ts'
import type { DispatchedMessage } from '../vocabulary/message.ts'

/*
 * DETACHED ── attach ──► ATTACHING ── attached ──► READY ── pending and no hold ──► CLAIMING ── lost ──► LOST
 *   ▲  ▲                     │                     │ ▲ ▲                               │                   │
 *   │  └────── failed ───────┘                     │ │ ├── empty, inFlight, held, failed ┤                 │
 *   │                                              │ │ └── message: with a flight ───────┘                 │
 *   │                                              │ └──── parked, failed ──┐                              │
 *   │                                              ├── last attempt over ──► PARKING                       │
 *   └──────── a new connection, not REST ──────────┴───────────────────────────────────────────────────────┘
 *
 * READY names what it waits for, its hold:
 *
 *   IDLE             no message is known to be pending
 *   PACING           the pacing interval since the latest dispatch is not over
 *   BUSY             the device asked for a pause
 *   RETRYING         the store refused an attach, a claim or a park
 *   LATER            only delayed messages are pending
 *   UNFINISHED       a message is DELIVERED, and the next one is dispatched after its end
 *   ACKNOWLEDGEMENT  a message is in flight: its acknowledgement, or the end of its attempt
 *   BACK_OFF         a message is in flight, but the present connection did not receive it: the end of its attempt
 */

export type Phase = 'DETACHED' | 'ATTACHING' | 'READY' | 'CLAIMING' | 'PARKING' | 'LOST'

/** A message in flight: dispatched, and not acknowledged. */
export interface Flight {
  readonly id: number
  /** Number of the attempt, from 1. */
  readonly number: number
  /** See {@link OpenAttempt}. */
  readonly counted: number
  /** The message's own limit of attempts. */
  readonly maxAttempts: number | null
  /** End of the attempt. */
  readonly untilMs: number
  /** Time of the dispatch in milliseconds since 1970, for display. */
  readonly atMs: number
  /** True when a connection that opened after the dispatch waits for the end of the attempt. */
  readonly backsOff: boolean
}

/** A DELIVERED message whose finish deadline runs. */
export interface Unfinished {
  readonly messageId: number
  readonly untilMs: number
}

/** The holds that few devices have. They change seldom, so that the states of the hot path share them. */
export interface RareHolds {
  /** No attach, claim or park before this time. */
  readonly retryAtMs: number
  /** No claim before this time: the device asked for a pause. */
  readonly busyUntilMs: number
  /** True when a pause began during an attach or a claim. The store ended the attempt that the call returns. */
  readonly pauseBegan: boolean
  /** Messages whose finish deadline ended during an attach or a claim, though its answer may have them. */
  readonly finishedIds: readonly number[]
  /** Time at which a delayed message is due, though no other one is pending. */
  readonly dueAtMs: number
  /** Known under `nextAfterCompleted` alone. */
  readonly unfinished: readonly Unfinished[]
}

export interface DispatchState {
  readonly phase: Phase
  /** False after the last connection has closed. The machine claims nothing then. */
  readonly connected: boolean
  /** True when the queue may have a message that no claim has returned. A claim finds out. */
  readonly mayBePending: boolean
  /** Time of the latest dispatch. */
  readonly lastMs: number
  readonly flight: Flight | null
  /** The attempt to report as ended with the next claim. */
  readonly ended: EndedAttempt | null
  /** Messages that left their queue during an attach or a claim. */
  readonly removedIds: readonly number[]
  readonly holds: RareHolds
  /** True when a connection opened that has not received what the store reports to be in flight. A waiting poll does not count. */
  readonly hasNewConnection: boolean
}

export type DispatchEvent =
  /**
   * The device opened a connection, which has not received the message in flight. With `keepsAttempt`, for a waiting poll,
   * the attempt continues. Any other connection ends the first attempts of a message.
   */
  | { readonly is: 'connected'; readonly keepsAttempt: boolean }
  /** The last connection of the device has closed. */
  | { readonly is: 'disconnected' }
  /** The store granted the lease. */
  | { readonly is: 'attached'; readonly line: LineState }
  /** The queue may have another head. */
  | { readonly is: 'added' }
  /** The message left its queue. */
  | { readonly is: 'removed'; readonly messageId: number }
  /** The store answered a claim. */
  | { readonly is: 'claimed'; readonly claim: Claim }
  /** The state of the line forbids the claim, which was not made. */
  | { readonly is: 'held'; readonly line: LineState }
  /** The store parked the message in flight, or the message left its queue meanwhile. */
  | { readonly is: 'parked' }
  /** No connection accepts the message in flight, which is too large. */
  | { readonly is: 'tooLarge'; readonly messageId: number }
  /** The store refused an attach, a claim or a park. */
  | { readonly is: 'failed' }
  /** The device asked for a pause, and the store ended the open attempt. 0 ends the pause. */
  | { readonly is: 'busy'; readonly forMs: number }
  /** The finish deadline of a DELIVERED message runs, or (null) runs no longer. */
  | { readonly is: 'unfinished'; readonly messageId: number; readonly forMs: number | null }
  /** A time has come, or the rules have changed. */
  | { readonly is: 'timer' }

export type Effect =
  /** Ask the store for the lease. */
  | { readonly is: 'attach' }
  /** Claim a message, and report an attempt as ended. */
  | { readonly is: 'claim'; readonly ended: EndedAttempt | null }
  /** Hand the message to the connections of the device. */
  | { readonly is: 'send'; readonly message: DispatchedMessage }
  /** Report that an attempt ended without an acknowledgement and that another one follows. */
  | { readonly is: 'ackTimeout'; readonly flight: Flight }
  /** Park the message: its last attempt ended without an acknowledgement. */
  | { readonly is: 'park'; readonly flight: Flight; readonly outcome: ParkOutcome }
  /** Raise the `timer` event at this time. An earlier one does no harm. */
  | { readonly is: 'wake'; readonly atMs: number }
  /** End the connections of the device: another node dispatches to it now. */
  | { readonly is: 'disconnect' }

/** A time that has always passed. */
export const NEVER = Number.NEGATIVE_INFINITY

/** The holds of most devices. */
export const NO_HOLDS: RareHolds = {
  retryAtMs: NEVER,
  busyUntilMs: NEVER,
  pauseBegan: false,
  finishedIds: [],
  dueAtMs: Number.POSITIVE_INFINITY,
  unfinished: [],
}

/** The first state of a device. */
export const DETACHED: DispatchState = {
  phase: 'DETACHED',
  connected: false,
  mayBePending: true,
  lastMs: NEVER,
  flight: null,
  ended: null,
  removedIds: [],
  holds: NO_HOLDS,
  hasNewConnection: false,
}
