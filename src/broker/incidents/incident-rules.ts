/** Defines the thresholds of signals, and checks the thresholds of administrators. */
import type { IncidentRule, SignalKind } from '../contract/incident-store.ts'
import { ALERT_KINDS } from '../views/alerts.ts'
import { BrokerError } from '../vocabulary/errors.ts'

/** Kinds of signals, most urgent first. */
export const SIGNAL_KINDS: readonly SignalKind[] = [...ALERT_KINDS, 'FLAPPING']

/** Thresholds in force. A null has no meaning for the kind. */
export interface SignalRule {
  readonly isEnabled: boolean
  /** Amount from which a signal begins. DISK_NEARLY_FULL begins below it. */
  readonly start: number | null
  /** Amount at which a signal ends. */
  readonly end: number | null
  /** Time without the signal after which it ends, in seconds. */
  readonly quietSeconds: number
  /** Number of messages of a command from which its failures begin an incident. */
  readonly minMessages: number | null
}

export type SignalRules = Readonly<Record<SignalKind, SignalRule>>

const rule = (quietSeconds: number, parts: Partial<SignalRule> = {}): SignalRule => ({
  isEnabled: true,
  start: null,
  end: null,
  quietSeconds,
  minMessages: null,
  ...parts,
})

export const DEFAULT_RULES: SignalRules = {
  STORAGE_FAILED: rule(60),
  // Percent of the disk that is free.
  DISK_NEARLY_FULL: rule(60, { start: 5, end: 7 }),
  CLOCK_BEHIND: rule(60),
  // Percent of the limit of the queue.
  QUEUE_NEARLY_FULL: rule(60, { start: 80, end: 60 }),
  PARKED: rule(600, { minMessages: 1 }),
  DEVICE_DEAF: rule(60),
  ANSWERS_REFUSED: rule(60),
  // Attempts.
  NOT_ACKNOWLEDGED: rule(60, { start: 3 }),
  NOT_FINISHED: rule(600, { minMessages: 1 }),
  DEVICE_SILENT: rule(300),
  // Age of the oldest message, in seconds.
  WAITING_LONG: rule(60, { start: 3_600, end: 2_700 }),
  FAILED: rule(600, { minMessages: 1 }),
  LOGIN_REFUSED: rule(0),
  QUEUES_OPEN: rule(60),
  // Connections within an hour.
  FLAPPING: rule(3_600, { start: 20, end: 5 }),
}

/** Smallest and largest values of the thresholds that an administrator may change. */
const BOUNDS: Partial<Record<SignalKind, { readonly start: Bounds; readonly end?: Bounds }>> = {
  DISK_NEARLY_FULL: { start: [1, 50], end: [1, 60] },
  QUEUE_NEARLY_FULL: { start: [80, 100], end: [1, 99] },
  NOT_ACKNOWLEDGED: { start: [3, 100] },
  WAITING_LONG: { start: [60, 604_800], end: [30, 604_800] },
  FLAPPING: { start: [2, 1_000], end: [1, 999] },
}
type Bounds = readonly [least: number, most: number]
const QUIET: Bounds = [0, 86_400]
const MESSAGES: Bounds = [1, 10_000]

/** Returns the thresholds in force. @param own the values of administrators */
export function rulesOf(own: readonly IncidentRule[]): SignalRules {
  const rules: Record<SignalKind, SignalRule> = { ...DEFAULT_RULES }
  for (const { kind, isEnabled, ...values } of own) {
    const before = DEFAULT_RULES[kind]
    rules[kind] = {
      isEnabled,
      start: values.start ?? before.start,
      end: values.end ?? before.end,
      quietSeconds: values.quietSeconds ?? before.quietSeconds,
      minMessages: values.minMessages ?? before.minMessages,
    }
  }
  return rules
}

/** Checks the values of an administrator. @throws {BrokerError} bad-rule */
export function checkRules(own: readonly IncidentRule[]): void {
  const kinds = new Set(own.map(({ kind }) => kind))
  if (kinds.size < own.length) throw badRule('each kind may have one rule')
  for (const each of own) checkRule(each)
}

function checkRule(own: IncidentRule): void {
  const { kind, start, end, quietSeconds, minMessages } = own
  const bounds = BOUNDS[kind]
  checkValue(kind, 'start', start, bounds?.start)
  checkValue(kind, 'end', end, bounds?.end)
  checkValue(kind, 'quietSeconds', quietSeconds, QUIET)
  checkValue(
    kind,
    'minMessages',
    minMessages,
    DEFAULT_RULES[kind].minMessages === null ? undefined : MESSAGES,
  )
  const { [kind]: inForce } = rulesOf([own])
  if (inForce.start === null || inForce.end === null) return
  const isSafe = kind === 'DISK_NEARLY_FULL' ? inForce.end > inForce.start : inForce.end < inForce.start
  if (isSafe) return
  const side = kind === 'DISK_NEARLY_FULL' ? 'above' : 'below'
  throw badRule(`end of ${kind} must be ${side} its start, ${inForce.start}`)
}

function checkValue(kind: SignalKind, name: string, value: number | null, bounds: Bounds | undefined): void {
  if (value === null) return
  if (bounds === undefined) throw badRule(`${kind} has no ${name}: leave it out or send null`)
  const [least, most] = bounds
  if (value < least || value > most) throw badRule(`${name} of ${kind} must be from ${least} to ${most}`)
}

function badRule(problem: string): BrokerError {
  return new BrokerError('bad-rule', `${problem[0]?.toUpperCase()}${problem.slice(1)}.`)
}

/** Returns the rule of each kind, most urgent first. @param own the values of administrators */
export function listRules(own: readonly IncidentRule[]): IncidentRule[] {
  const rules = rulesOf(own)
  return SIGNAL_KINDS.map((kind) => ({ kind, ...rules[kind] }))
}
