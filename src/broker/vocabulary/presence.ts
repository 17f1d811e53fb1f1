/** Defines the words for the presence of a device. */

/** Name of REST where the name of a transport is expected. */
export const REST = 'REST'

/**
 * Reasons for the end of a period. CLIENT: the device disconnected. CLOSED: its connection broke. KEEP_ALIVE, TOO_SLOW,
 * PROTOCOL_ERROR: the server ended the connection. TAKEN_OVER: a newer connection has the session, or another node dispatches
 * to the device. ADMIN: an operator. ACCESS_ENDED: the client lost its access. STOPPED: the server stopped. LEASE: the node
 * lost its lease. POLLS_ENDED: the polls ceased.
 */
export const PERIOD_ENDS = [
  'CLIENT',
  'CLOSED',
  'KEEP_ALIVE',
  'TOO_SLOW',
  'PROTOCOL_ERROR',
  'TAKEN_OVER',
  'ADMIN',
  'ACCESS_ENDED',
  'STOPPED',
  'LEASE',
  'POLLS_ENDED',
] as const
export type PeriodEnd = (typeof PERIOD_ENDS)[number]

/** Facts about the end of a period. */
export interface PeriodDetail {
  /** Sentence of the list of refusals, for a connection that the server ended. */
  readonly message?: string
  /** Keep-alive in seconds: the server heard nothing for one and a half times as long. */
  readonly keepAliveSeconds?: number
  /** Client that ended the connection. */
  readonly by?: string | null
  /** Cause of the end of the access. */
  readonly cause?: string
}

/**
 * States of a device. RECEIVING: a connection receives its commands. POLLING: it polls regularly. CONNECTED: it has a
 * connection that receives nothing. AWAY: the server saw that it was absent. UNKNOWN: no server saw whether it was present.
 * UNSEEN: it was never seen.
 */
export const PRESENCE_STATES = ['RECEIVING', 'POLLING', 'CONNECTED', 'AWAY', 'UNKNOWN', 'UNSEEN'] as const
export type PresenceState = (typeof PRESENCE_STATES)[number]

/** Kinds of entries in the log of a device. */
export const LOG_KINDS = [
  'CONNECTED',
  'SUBSCRIBED',
  'DISCONNECTED',
  'POLLS',
  'POLLS_ENDED',
  'REFUSED',
  'FLAPPING',
  'BUSY',
  'DEAF',
  'ANSWERS_AGAIN',
  'WILL',
  'OUT_OF_SERVICE',
  'IN_SERVICE',
  'NOTE',
  'INCIDENT',
  'CHANGED',
  'SERVER',
  'CUT',
] as const
export type LogKind = (typeof LOG_KINDS)[number]

const LEAST_WINDOW_S = 300
const LONGEST_WINDOW_S = 86_400
/** Number of usual gaps between two polls after which polls have ended. */
const GAPS = 3

/** Returns the time without a sighting after which a device polls no more, in milliseconds. */
export function pollWindowMs(pollSeconds: number | null): number {
  return 1_000 * Math.min(LONGEST_WINDOW_S, Math.max(LEAST_WINDOW_S, GAPS * (pollSeconds ?? 0)))
}
