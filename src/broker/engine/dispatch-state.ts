/**
 * Defines the states, events and effects of the dispatch to one device. Times are milliseconds of one monotonic clock.
 */

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
 *   BUSY             the device asked for a pause, or is out of service
 *   RETRYING         the store refused an attach, a claim or a park
 *   LATER            only delayed messages are pending
 *   UNFINISHED       a message is DELIVERED, and the next one is dispatched after its end
 *   ACKNOWLEDGEMENT  a message is in flight: its acknowledgement, or the end of its attempt
 *   BACK_OFF         a message is in flight, but the present connection did not receive it: the end of its attempt
 */

export type Phase = 'DETACHED' | 'ATTACHING' | 'READY' | 'CLAIMING' | 'PARKING' | 'LOST'

/** Message in flight: dispatched, and not acknowledged. */
export interface Flight {
  readonly id: number
  /** Number of the attempt, from 1. */
  readonly number: number
  /** See {@link OpenAttempt}. */
  readonly counted: number
  readonly maxAttempts: number | null
  readonly untilMs: number
  /** Time of the dispatch in milliseconds since 1970, for display. */
  readonly atMs: number
  /** True if a connection that opened after the dispatch waits for the end of the attempt. */
  readonly backsOff: boolean
}

/** DELIVERED message with a running finish deadline. */
export interface Unfinished {
  readonly messageId: number
  readonly untilMs: number
}

/** Holds that few devices have. They change rarely, so the states of the hot path share them. */
export interface RareHolds {
  /** No attach, claim or park before this time. */
  readonly retryAtMs: number
  /** No claim before this time, because the device asked for a pause or is out of service. */
  readonly busyUntilMs: number
  /** True if a pause began during an attach or a claim. The store has then ended the attempt that the call returns. */
  readonly pauseBegan: boolean
  /** Messages whose finish deadline ended during an attach or a claim, although its answer may contain them. */
  readonly finishedIds: readonly number[]
  /** Time at which a delayed message is due, if no other message is pending. */
  readonly dueAtMs: number
  /** Known only under `nextAfterCompleted`. */
  readonly unfinished: readonly Unfinished[]
}

export interface DispatchState {
  readonly phase: Phase
  /** False after the last connection has closed. The machine then claims nothing. */
  readonly connected: boolean
  /** True if the queue may have a message that no claim has returned. A claim finds out. */
  readonly mayBePending: boolean
  readonly lastMs: number
  readonly flight: Flight | null
  /** Attempt to report as ended with the next claim. */
  readonly ended: EndedAttempt | null
  /** Messages that left their queue during an attach or a claim. */
  readonly removedIds: readonly number[]
  readonly holds: RareHolds
  /**
   * True if a connection opened that has not received the message that the store reports as in flight. Waiting polls do
   * not count.
   */
  readonly hasNewConnection: boolean
}

export type DispatchEvent =
  /**
   * The device opened a connection, which has not received the message in flight. With `keepsAttempt`, for a waiting
   * poll, the attempt continues. Any other connection ends the first attempts of a message.
   */
  | { readonly is: 'connected'; readonly keepsAttempt: boolean }
  /** The last connection of the device has closed. */
  | { readonly is: 'disconnected' }
  /** The store granted the lease. */
  | { readonly is: 'attached'; readonly line: LineState }
  /** The queue may have another head. */
  | { readonly is: 'added' }
  | { readonly is: 'removed'; readonly messageId: number }
  | { readonly is: 'claimed'; readonly claim: Claim }
  /** The state of the line forbids the claim, which was not made. */
  | { readonly is: 'held'; readonly line: LineState }
  /** The store parked the message in flight, or the message left its queue meanwhile. */
  | { readonly is: 'parked' }
  /** No connection accepts the message in flight, because it is too large. */
  | { readonly is: 'tooLarge'; readonly messageId: number }
  /** The store refused an attach, a claim or a park. */
  | { readonly is: 'failed' }
  /** A pause began or changed, and the store ended the open attempt. 0 ends the pause; Infinity: no end is known. */
  | { readonly is: 'busy'; readonly forMs: number }
  /** The finish deadline of a DELIVERED message started, or (null) ended. */
  | { readonly is: 'unfinished'; readonly messageId: number; readonly forMs: number | null }
  /** A wake time has come, or the rules have changed. */
  | { readonly is: 'timer' }

export type Effect =
  | { readonly is: 'attach' }
  /** Claim a message, and report an attempt as ended. */
  | { readonly is: 'claim'; readonly ended: EndedAttempt | null }
  /** Send the message to the connections of the device. */
  | { readonly is: 'send'; readonly message: DispatchedMessage }
  /** Report that an attempt ended without an acknowledgement and that another attempt follows. */
  | { readonly is: 'ackTimeout'; readonly flight: Flight }
  /** Park the message: its last attempt ended without an acknowledgement. */
  | { readonly is: 'park'; readonly flight: Flight; readonly outcome: ParkOutcome }
  /** Raise the `timer` event at this time. An earlier event does no harm. */
  | { readonly is: 'wake'; readonly atMs: number }
  /** End the connections of the device: another node dispatches to it now. */
  | { readonly is: 'disconnect' }

/** A time that has always passed. */
export const NEVER = Number.NEGATIVE_INFINITY

export const NO_HOLDS: RareHolds = {
  retryAtMs: NEVER,
  busyUntilMs: NEVER,
  pauseBegan: false,
  finishedIds: [],
  dueAtMs: Number.POSITIVE_INFINITY,
  unfinished: [],
}

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
