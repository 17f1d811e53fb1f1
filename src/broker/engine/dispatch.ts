/**
 * Dispatch to one device as a pure state machine: each event leads to a state and to effects. All rules of timing are
 * here, for every storage driver; attempts.ts has the rules that polls share. Reads no clock, knows no store and no
 * transport.
 *
 * Times are milliseconds of one monotonic clock.
 */

import type { Claim, EndedAttempt, LineState, OpenAttempt } from '../contract/device-lease.ts'
import { attemptMsOf, isLastAttempt, isSameAttempt, QUICK_ATTEMPTS } from '../vocabulary/attempts.ts'
import type { DispatchedMessage } from '../vocabulary/message.ts'
import { answered, dueIn, heldUntil, unfinishedOf, withUnfinished } from './dispatch-holds.ts'
import type { DispatchRules } from './dispatch-rules.ts'
import {
  type DispatchEvent,
  type DispatchState,
  type Effect,
  type Flight,
  NEVER,
  NO_HOLDS,
  type Phase,
  type RareHolds,
} from './dispatch-state.ts'

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
  flight: Flight | null,
  ended: EndedAttempt | null,
  holds: RareHolds,
  hasNewConnection: boolean,
): DispatchState {
  const removedIds = NONE
  return { phase, connected, mayBePending, lastMs, flight, ended, removedIds, holds, hasNewConnection }
}

const NONE: readonly number[] = []
const NOTHING: readonly Effect[] = []
const ATTACH: readonly Effect[] = [{ is: 'attach' }]
const CLAIM: readonly Effect[] = [{ is: 'claim', ended: null }]
const DISCONNECT: readonly Effect[] = [{ is: 'disconnect' }]

/** Returns the state after an event, and the effects to perform, in order. */
export function next(state: DispatchState, event: DispatchEvent, nowMs: number, rules: DispatchRules): Step {
  switch (event.is) {
    case 'connected':
      return decide(connected(state, event.keepsAttempt), nowMs, rules)
    case 'disconnected':
      return [{ ...state, connected: false }, NOTHING]
    case 'attached':
      return decide(attached(state, event.line, nowMs, rules), nowMs, rules)
    case 'added':
      // The end of a flight always makes the machine claim.
      if (state.mayBePending || state.flight) return [state, NOTHING]
      return decide(added(state), nowMs, rules)
    case 'removed':
      return decide(removed(state, event.messageId), nowMs, rules)
    case 'claimed':
      return claimed(state, event.claim, nowMs, rules)
    case 'held':
      return decide(held(state, event.line, nowMs, rules), nowMs, rules)
    case 'parked':
      return decide({ ...state, phase: 'READY', mayBePending: true, flight: null }, nowMs, rules)
    case 'tooLarge':
      return tooLarge(state, event.messageId)
    case 'failed':
      return decide(failed(state, nowMs + rules.retryMs), nowMs, rules)
    case 'busy':
      return decide(busy(state, event.forMs, nowMs), nowMs, rules)
    case 'unfinished':
      if (!rules.nextAfterCompleted) return [state, NOTHING]
      return decide(unfinished(state, event.messageId, event.forMs, nowMs), nowMs, rules)
    case 'timer':
      return decide(state, nowMs, rules)
  }
}

/**
 * Requests a new lease, whose state includes the message in flight. A waiting poll beside another connection needs
 * none.
 */
function connected(state: DispatchState, keepsAttempt: boolean): DispatchState {
  const { phase } = state
  const hasNewConnection = state.hasNewConnection || !keepsAttempt
  const attaches = phase === 'LOST' || (phase === 'READY' && (!keepsAttempt || !state.connected))
  return { ...state, phase: attaches ? 'DETACHED' : phase, connected: true, hasNewConnection }
}

function attached(state: DispatchState, line: LineState, nowMs: number, rules: DispatchRules): DispatchState {
  const { attempt } = line
  const { ended } = state
  const isOpen = attempt !== null && !state.removedIds.includes(attempt.messageId)
  const isReported =
    isOpen && ended !== null && attempt.messageId === ended.messageId && isSameAttempt(attempt, ended)
  const ready: DispatchState = {
    ...state,
    phase: 'READY',
    mayBePending: true,
    lastMs: latest(state.lastMs, line, nowMs),
    flight: null,
    ended: isReported ? ended : null,
    removedIds: NONE,
    holds: withUnfinished(answered(state.holds), unfinishedOf(state, line, nowMs, rules)),
  }
  // A pause that began meanwhile ended the attempt. If it did not, the next claim returns the attempt.
  const isNew = isOpen && !isReported && !state.holds.pauseBegan
  const after = isNew ? adopted(ready, attempt, nowMs, rules) : ready
  return { ...after, hasNewConnection: false }
}

function latest(lastMs: number, { sinceDispatchMs }: LineState, nowMs: number): number {
  return sinceDispatchMs === null ? lastMs : Math.max(lastMs, nowMs - sinceDispatchMs)
}

/**
 * Adopts an attempt that the store reports. A new connection ends the first attempts of a message at once. Later
 * attempts run to their end, so that a command that crashes its device is not repeated every few seconds. Each attempt
 * with a deaf device runs to its end, because a deaf device keeps the number of its attempt.
 */
function adopted(
  state: DispatchState,
  attempt: OpenAttempt,
  nowMs: number,
  rules: DispatchRules,
): DispatchState {
  const { messageId: id, number, counted, maxAttempts, runningMs, atMs } = attempt
  const { hasNewConnection } = state
  const isCut = hasNewConnection && counted <= QUICK_ATTEMPTS && !rules.attempt.deaf
  if (isCut && !isLast(attempt, rules))
    return { ...state, ended: { messageId: id, number, atMs, outcome: 'CONNECTION' } }
  const untilMs = isCut ? nowMs : nowMs + runningMs
  const backsOff = hasNewConnection && !isCut
  return { ...state, flight: { id, number, counted, maxAttempts, untilMs, atMs, backsOff } }
}

function isLast(attempt: Pick<OpenAttempt, 'counted' | 'maxAttempts'>, rules: DispatchRules): boolean {
  return isLastAttempt(attempt, rules.maxAttempts, rules.attempt.deaf)
}

function added(state: DispatchState): DispatchState {
  if (isAsking(state)) return { ...state, mayBePending: true }
  const { phase, connected, lastMs, ended, holds, hasNewConnection } = state
  return stateOf(phase, connected, true, lastMs, null, ended, holds, hasNewConnection)
}

function removed(state: DispatchState, messageId: number): DispatchState {
  const { phase, connected, lastMs, flight, ended, holds, hasNewConnection } = state
  const flies = flight?.id === messageId
  if (isAsking(state)) {
    return { ...state, flight: flies ? null : flight, removedIds: [...state.removedIds, messageId] }
  }
  if (flies) return stateOf(phase, connected, true, lastMs, null, ended, holds, hasNewConnection)
  if (ended?.messageId === messageId) return { ...state, ended: null }
  return state
}

function claimed(state: DispatchState, claim: Claim, nowMs: number, rules: DispatchRules): Step {
  if (claim.is === 'message') return dispatched(state, claim.message, nowMs, rules)
  const { connected, mayBePending, lastMs, removedIds, hasNewConnection } = state
  const holds = answered(state.holds)
  switch (claim.is) {
    case 'empty': {
      const due = dueIn(holds, claim.dueInMs, nowMs)
      return decide(stateOf('READY', connected, mayBePending, lastMs, null, null, due, false), nowMs, rules)
    }
    case 'inFlight': {
      const ready = stateOf('READY', connected, true, lastMs, null, null, holds, hasNewConnection)
      const isGone = state.holds.pauseBegan || removedIds.includes(claim.attempt.messageId)
      const after = isGone ? ready : adopted(ready, claim.attempt, nowMs, rules)
      return decide({ ...after, hasNewConnection: false }, nowMs, rules)
    }
    case 'lost':
      return [stateOf('LOST', connected, mayBePending, lastMs, null, null, holds, false), DISCONNECT]
  }
}

function dispatched(
  { connected, mayBePending, removedIds, holds }: DispatchState,
  message: DispatchedMessage,
  nowMs: number,
  rules: DispatchRules,
): Step {
  const { id, guarantee, number, counted, maxAttempts, atMs } = message
  const send: Effect = { is: 'send', message }
  const answeredHolds = answered(holds)
  // The claim itself removed a NO message from the queue, so neither `removedIds` nor a pause can revoke the message.
  if (guarantee === 'NO') {
    const ready = stateOf('READY', connected, true, nowMs, null, null, answeredHolds, false)
    return after(send, decide(ready, nowMs, rules))
  }
  if (holds.pauseBegan || removedIds.includes(id)) {
    const ended: EndedAttempt = { messageId: id, number, atMs, outcome: 'CONNECTION' }
    return decide(stateOf('READY', connected, true, nowMs, null, ended, answeredHolds, false), nowMs, rules)
  }
  const untilMs = nowMs + attemptMsOf(rules.attempt.durationsMs, counted)
  const flight = { id, number, counted, maxAttempts, untilMs, atMs, backsOff: false }
  const flying = stateOf('READY', connected, mayBePending, nowMs, flight, null, holds, false)
  return [flying, connected ? [send, { is: 'wake', atMs: untilMs }] : [send]]
}

function after(effect: Effect, [state, effects]: Step): Step {
  return [state, [effect, ...effects]]
}

function failed(state: DispatchState, retryAtMs: number): DispatchState {
  const phase = state.phase === 'ATTACHING' ? 'DETACHED' : 'READY'
  return { ...unclaimed(state), phase, holds: { ...answered(state.holds), retryAtMs } }
}

function held(state: DispatchState, line: LineState, nowMs: number, rules: DispatchRules): DispatchState {
  const holds = withUnfinished(answered(state.holds), unfinishedOf(state, line, nowMs, rules))
  return { ...unclaimed(state), phase: 'READY', lastMs: latest(state.lastMs, line, nowMs), holds }
}

/** Returns the state after a store call that changed nothing. The next claim reports `ended` again. */
function unclaimed(state: DispatchState): DispatchState {
  const { ended, removedIds } = state
  const isGone = ended !== null && removedIds.includes(ended.messageId)
  return { ...state, mayBePending: true, ended: isGone ? null : ended, removedIds: NONE }
}

function busy(state: DispatchState, forMs: number, nowMs: number): DispatchState {
  if (forMs <= 0) return { ...state, holds: { ...state.holds, busyUntilMs: NEVER } }
  const pauseBegan = isAsking(state) || state.holds.pauseBegan
  const holds = { ...state.holds, busyUntilMs: nowMs + forMs, pauseBegan }
  // The store itself ended the attempt, so no claim reports the end.
  return { ...state, mayBePending: true, flight: null, ended: null, holds }
}

function unfinished(
  state: DispatchState,
  messageId: number,
  forMs: number | null,
  nowMs: number,
): DispatchState {
  const holds = withUnfinished(
    state.holds,
    state.holds.unfinished.filter((each) => each.messageId !== messageId),
  )
  if (forMs !== null) {
    const added = { messageId, untilMs: nowMs + forMs }
    return { ...state, holds: { ...holds, unfinished: [...holds.unfinished, added] } }
  }
  if (!isAsking(state)) return { ...state, holds }
  return { ...state, holds: { ...holds, finishedIds: [...holds.finishedIds, messageId] } }
}

/** Returns whether the answer to an attach or a claim is pending. Events may have overtaken it. */
function isAsking({ phase }: DispatchState): boolean {
  return phase === 'CLAIMING' || phase === 'ATTACHING'
}

/** Begins a due attach, claim or park, or requests a wake at the time when one will be due. */
function decide(state: DispatchState, nowMs: number, rules: DispatchRules): Step {
  const { phase, connected, lastMs, flight, ended, holds, hasNewConnection } = state
  if (!connected) return [state, NOTHING]
  if (phase === 'DETACHED') {
    if (nowMs < holds.retryAtMs) return [state, wake(holds.retryAtMs)]
    return [{ ...state, phase: 'ATTACHING' }, ATTACH]
  }
  if (phase !== 'READY') return [state, NOTHING]
  if (flight) {
    return nowMs < flight.untilMs ? [state, wake(flight.untilMs)] : attemptOver(state, flight, nowMs, rules)
  }
  if (!state.mayBePending && nowMs < holds.dueAtMs) {
    return [state, holds.dueAtMs === NO_HOLDS.dueAtMs ? NOTHING : wake(holds.dueAtMs)]
  }
  const claimAtMs = Math.max(lastMs + rules.intervalMs, heldUntil(holds, rules))
  if (nowMs < claimAtMs) return [state, wake(claimAtMs)]
  const claiming = stateOf('CLAIMING', connected, false, lastMs, null, ended, holds, hasNewConnection)
  return [claiming, ended ? [{ is: 'claim', ended }] : CLAIM]
}

function attemptOver(state: DispatchState, flight: Flight, nowMs: number, rules: DispatchRules): Step {
  if (isLast(flight, rules)) {
    const { retryAtMs } = state.holds
    if (nowMs < retryAtMs) return [state, wake(retryAtMs)]
    return [{ ...state, phase: 'PARKING' }, [{ is: 'park', flight, outcome: 'TIMEOUT' }]]
  }
  const { id: messageId, number, atMs } = flight
  const ended: EndedAttempt = { messageId, number, atMs, outcome: 'TIMEOUT' }
  return after(
    { is: 'ackTimeout', flight },
    decide({ ...state, flight: null, mayBePending: true, ended }, nowMs, rules),
  )
}

/** Ends an attempt that no connection accepts. If the park fails, the end of the attempt triggers the next try. */
function tooLarge(state: DispatchState, messageId: number): Step {
  const { phase, flight } = state
  if (phase !== 'READY' || flight?.id !== messageId) return [state, NOTHING]
  return [{ ...state, phase: 'PARKING' }, [{ is: 'park', flight, outcome: 'TOO_LARGE' }]]
}

function wake(atMs: number): readonly Effect[] {
  return [{ is: 'wake', atMs }]
}
