/**
 * The dispatch to one device as a pure state machine: each event leads to a state and to effects. All rules of timing
 * are here, for every storage driver. Reads no clock, knows no store and no transport.
 *
 * Times are milliseconds of one monotonic clock.
 */
import type { DeviceSettings } from './device-settings.ts'
import type { DispatchedMessage } from './message.ts'
import type { Claim, EndedAttempt, LineState } from './store.ts'

/*
 * DETACHED ── attach ──► ATTACHING ── attached ──► READY ── pending and no hold ──► CLAIMING ── lost ──► LOST
 *   ▲  ▲                     │                     │ ▲                                 │                   │
 *   │  └────── failed ───────┘                     │ ├──── empty, inFlight, failed ────┤                   │
 *   │                                              │ └──── message: with a flight ─────┘                   │
 *   └───────────── a new connection ───────────────┴───────────────────────────────────────────────────────┘
 *
 * READY names what it waits for, its hold:
 *
 *   IDLE             no message is known to be pending
 *   PACING           the pacing interval since the latest dispatch is not over
 *   RETRYING         the store refused an attach or a claim, or an attempt of another node runs
 *   ACKNOWLEDGEMENT  a message is in flight: its acknowledgement, or the end of its attempt
 */

export type Phase = 'DETACHED' | 'ATTACHING' | 'READY' | 'CLAIMING' | 'LOST'

/** A message in flight: dispatched, and not acknowledged. */
export interface Flight {
  readonly id: number
  /** End of the attempt. */
  readonly untilMs: number
  /** Time of the dispatch in milliseconds since 1970, for display. */
  readonly atMs: number
}

export interface DispatchState {
  readonly phase: Phase
  /** False after the last connection has closed. The machine claims nothing then. */
  readonly connected: boolean
  /** True when the queue may have a message that no claim has returned. A claim finds out. */
  readonly mayBePending: boolean
  /** Time of the latest dispatch. */
  readonly lastMs: number
  /** No attach and no claim before this time. */
  readonly retryAtMs: number
  readonly flight: Flight | null
  /** The attempt to report as ended with the next claim. */
  readonly ended: EndedAttempt | null
  /** Messages that left their queue during a claim. */
  readonly removedIds: readonly number[]
}

export type DispatchEvent =
  /** The device opened a connection. The new connection has not received the message in flight. */
  | { readonly is: 'connected' }
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
  /** The store refused an attach or a claim. */
  | { readonly is: 'failed' }
  /** A time has come, or the rules have changed. */
  | { readonly is: 'timer' }

export type Effect =
  /** Ask the store for the lease. */
  | { readonly is: 'attach' }
  /** Claim a message, and report an attempt as ended. */
  | { readonly is: 'claim'; readonly ended: EndedAttempt | null }
  /** Hand the message to the connections of the device. */
  | { readonly is: 'send'; readonly message: DispatchedMessage }
  /** Report that an attempt ended without an acknowledgement. */
  | { readonly is: 'ackTimeout'; readonly flight: Flight }
  /** Raise the `timer` event at this time. An earlier one does no harm. */
  | { readonly is: 'wake'; readonly atMs: number }
  /** End the connections of the device: another node dispatches to it now. */
  | { readonly is: 'disconnect' }

/** The times that apply to one device, in milliseconds. */
export interface DispatchRules {
  /** The pacing interval: least time between two dispatches to one device. */
  readonly intervalMs: number
  /** Duration of an attempt. */
  readonly attemptMs: number
  /** Pause after the store refused an attach or a claim. */
  readonly retryMs: number
}

/** Returns the rules for one device: its own values, and the general ones for the rest. */
export function rulesFor({ sendMessagePeriodMs }: DeviceSettings, general: DispatchRules): DispatchRules {
  return sendMessagePeriodMs === null ? general : { ...general, intervalMs: sendMessagePeriodMs }
}

/** The first state of a device. */
export const DETACHED: DispatchState = {
  phase: 'DETACHED',
  connected: false,
  mayBePending: true,
  lastMs: Number.NEGATIVE_INFINITY,
  retryAtMs: Number.NEGATIVE_INFINITY,
  flight: null,
  ended: null,
  removedIds: [],
}

type Step = readonly [state: DispatchState, effects: readonly Effect[]]

/**
 * Builds the states of the hot path. In a CPU profile of MQTT deliveries a copy with `...` took up to 2 us, while a
 * literal with every member did not show.
 */
function stateOf(
  phase: Phase,
  connected: boolean,
  mayBePending: boolean,
  lastMs: number,
  retryAtMs: number,
  flight: Flight | null,
  ended: EndedAttempt | null,
): DispatchState {
  return { phase, connected, mayBePending, lastMs, retryAtMs, flight, ended, removedIds: NONE }
}

const NOTHING: readonly Effect[] = []
const ATTACH: readonly Effect[] = [{ is: 'attach' }]
const CLAIM: readonly Effect[] = [{ is: 'claim', ended: null }]
const DISCONNECT: readonly Effect[] = [{ is: 'disconnect' }]

/** Returns the state after an event, and the effects to perform, in order. */
export function next(state: DispatchState, event: DispatchEvent, nowMs: number, rules: DispatchRules): Step {
  switch (event.is) {
    case 'connected':
      return decide(connected(state), nowMs, rules)
    case 'disconnected':
      return [{ ...state, connected: false }, NOTHING]
    case 'attached':
      return decide(attached(state, event.line, nowMs), nowMs, rules)
    case 'added':
      // The end of a flight makes the machine claim in any case.
      if (state.mayBePending || state.flight) return [state, NOTHING]
      return decide({ ...state, mayBePending: true }, nowMs, rules)
    case 'removed':
      return decide(removed(state, event.messageId), nowMs, rules)
    case 'claimed':
      return claimed(state, event.claim, nowMs, rules)
    case 'failed':
      return decide(failed(state, nowMs + rules.retryMs), nowMs, rules)
    case 'timer':
      return decide(state, nowMs, rules)
  }
}

/** The reason why no message is dispatched to a device at the moment. */
export interface Hold {
  readonly is: 'IDLE' | 'PACING' | 'RETRYING' | 'ACKNOWLEDGEMENT'
  /** The message in flight; null for any other hold. */
  readonly messageId: number | null
  /** Time until the end of the hold, in milliseconds; 0 when the hold has no end in time. */
  readonly forMs: number
}

/** Returns what the dispatch to a device waits for. */
export function holdOf(state: DispatchState, nowMs: number, rules: DispatchRules): Hold {
  const { flight } = state
  if (flight) return { is: 'ACKNOWLEDGEMENT', messageId: flight.id, forMs: rest(flight.untilMs, nowMs) }
  const pacingMs = rest(state.lastMs + rules.intervalMs, nowMs)
  if (pacingMs > 0) return { is: 'PACING', messageId: null, forMs: pacingMs }
  const retryMs = rest(state.retryAtMs, nowMs)
  return { is: retryMs > 0 ? 'RETRYING' : 'IDLE', messageId: null, forMs: retryMs }
}

function rest(untilMs: number, nowMs: number): number {
  return Math.max(0, untilMs - nowMs)
}

/** Asks for a new lease and ends the attempt with the message in flight, which the new connection has not received. */
function connected(state: DispatchState): DispatchState {
  const { phase, flight } = state
  if (phase === 'ATTACHING' || phase === 'CLAIMING') return { ...state, connected: true }
  const ended: EndedAttempt | null = flight ? { messageId: flight.id, outcome: 'CONNECTION' } : state.ended
  return { ...state, phase: 'DETACHED', connected: true, flight: null, ended }
}

function attached(state: DispatchState, line: LineState, nowMs: number): DispatchState {
  const { sinceDispatchMs, inFlightId } = line
  const lastMs = sinceDispatchMs === null ? state.lastMs : Math.max(state.lastMs, nowMs - sinceDispatchMs)
  const isKnown = inFlightId === null || inFlightId === state.ended?.messageId
  const ended: EndedAttempt | null = isKnown ? state.ended : { messageId: inFlightId, outcome: 'CONNECTION' }
  return { ...state, phase: 'READY', mayBePending: true, lastMs, ended }
}

function removed(state: DispatchState, messageId: number): DispatchState {
  if (state.phase === 'CLAIMING') return { ...state, removedIds: [...state.removedIds, messageId] }
  const { phase, connected, lastMs, retryAtMs, ended } = state
  if (state.flight?.id === messageId) return stateOf(phase, connected, true, lastMs, retryAtMs, null, ended)
  if (state.ended?.messageId === messageId) return { ...state, ended: null }
  return state
}

function claimed(state: DispatchState, claim: Claim, nowMs: number, rules: DispatchRules): Step {
  if (claim.is === 'message') return dispatched(state, claim.message, nowMs, rules)
  const ready: DispatchState = { ...state, phase: 'READY', ended: null, removedIds: NONE }
  switch (claim.is) {
    case 'empty':
      return decide(ready, nowMs, rules)
    case 'inFlight':
      return decide({ ...ready, mayBePending: true, retryAtMs: nowMs + claim.forMs }, nowMs, rules)
    case 'lost':
      return [{ ...ready, phase: 'LOST' }, DISCONNECT]
  }
}

const NONE: readonly number[] = []

function dispatched(
  { connected, mayBePending, retryAtMs, removedIds }: DispatchState,
  message: DispatchedMessage,
  nowMs: number,
  rules: DispatchRules,
): Step {
  const { id, guarantee, atMs } = message
  const send: Effect = { is: 'send', message }
  // The claim itself removed a NO message from the queue, so `removedIds` has no meaning for it.
  if (guarantee === 'NO') {
    const ready = stateOf('READY', connected, true, nowMs, retryAtMs, null, null)
    return after(send, decide(ready, nowMs, rules))
  }
  if (removedIds.includes(id)) {
    const ended: EndedAttempt = { messageId: id, outcome: 'CONNECTION' }
    return decide(stateOf('READY', connected, true, nowMs, retryAtMs, null, ended), nowMs, rules)
  }
  const flight = { id, untilMs: nowMs + rules.attemptMs, atMs }
  const flying = stateOf('READY', connected, mayBePending, nowMs, retryAtMs, flight, null)
  return [flying, connected ? [send, { is: 'wake', atMs: flight.untilMs }] : [send]]
}

function after(effect: Effect, [state, effects]: Step): Step {
  return [state, [effect, ...effects]]
}

function failed(state: DispatchState, retryAtMs: number): DispatchState {
  const { ended, removedIds } = state
  return {
    ...state,
    phase: state.phase === 'ATTACHING' ? 'DETACHED' : 'READY',
    mayBePending: true,
    retryAtMs,
    ended: ended && removedIds.includes(ended.messageId) ? null : ended,
    removedIds: NONE,
  }
}

/** Begins the attach or the claim that is due, or asks for a wake at the time when one will be. */
function decide(state: DispatchState, nowMs: number, rules: DispatchRules): Step {
  const { flight } = state
  if (!state.connected) return [state, NOTHING]
  if (state.phase === 'DETACHED') {
    if (nowMs < state.retryAtMs) return [state, wake(state.retryAtMs)]
    return [{ ...state, phase: 'ATTACHING' }, ATTACH]
  }
  if (state.phase !== 'READY') return [state, NOTHING]
  if (flight && nowMs >= flight.untilMs) {
    const ended: EndedAttempt = { messageId: flight.id, outcome: 'TIMEOUT' }
    return after(
      { is: 'ackTimeout', flight },
      decide({ ...state, flight: null, mayBePending: true, ended }, nowMs, rules),
    )
  }
  if (flight) return [state, wake(flight.untilMs)]
  if (!state.mayBePending) return [state, NOTHING]
  const dueMs = Math.max(state.lastMs + rules.intervalMs, state.retryAtMs)
  if (nowMs < dueMs) return [state, wake(dueMs)]
  const { connected, lastMs, retryAtMs, ended } = state
  const claiming = stateOf('CLAIMING', connected, false, lastMs, retryAtMs, null, ended)
  return [claiming, ended ? [{ is: 'claim', ended }] : CLAIM]
}

function wake(atMs: number): readonly Effect[] {
  return [{ is: 'wake', atMs }]
}
