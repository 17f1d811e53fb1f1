/**
 * Assigns signals to incidents, and changes the states of incidents: one pure function. A signal stays in its incident
 * until it ends, except that an incident that grows into a rule above it is merged as a whole.
 */
import type {
  IncidentChange,
  IncidentMember,
  IncidentRecord,
  IncidentWithMembers,
  NewIncident,
  NewIncidentLine,
} from '../contract/incident-store.ts'
import { FAILURE_KINDS, findCauses, kindOfKey, rankOf, SERVER_KINDS } from './causes.ts'
import type { SignalRules } from './incident-rules.ts'
import type { Signal } from './signals.ts'

/** Time within which an incident with the same key is the same incident, and after which a reminder is due. */
export const DAY_MS = 86_400_000
/** Growth that opens an acknowledged incident again: twice the number, and this much more. */
const MIN_GROWTH = 5
/** Minimum time between two changes of the numbers alone, so that a growing queue does not cause a commit each time. */
const NUMBERS_MS = 60_000

export interface Reading {
  readonly signals: readonly Signal[]
  readonly incidents: readonly IncidentWithMembers[]
  /** Keys of signals that the reading before found for the first time. */
  readonly seenOnce: ReadonlySet<string>
  /** Returns whether a missing signal may still last, because this process cannot know of it since its start. */
  readonly mayLast: (member: IncidentMember) => boolean
  readonly rules: SignalRules
  readonly nowMs: number
}

export interface Assigned {
  readonly changes: readonly IncidentChange[]
  /** Keys of signals that begin an incident if the next reading finds them too. */
  readonly seenOnce: ReadonlySet<string>
}

export function assign(reading: Reading): Assigned {
  return new Assignment(reading).result()
}

/** Incident during an assignment. */
interface Draft {
  readonly before: IncidentRecord | null
  incident: NewIncident
  readonly members: Map<string, IncidentMember>
  /** Members before the assignment. */
  readonly stored: ReadonlyMap<string, IncidentMember>
  readonly changed: Set<string>
  readonly moved: string[]
  readonly lines: NewIncidentLine[]
}

class Assignment {
  readonly #reading: Reading
  readonly #present: ReadonlyMap<string, Signal>
  readonly #drafts: Draft[]
  /** Incidents by the keys of their members. */
  readonly #owners = new Map<string, Draft>()
  readonly #seenOnce = new Set<string>()
  /** Keys of signals of ended incidents that doubled. */
  readonly #doubled = new Set<string>()
  /** Open incident by key, or the ended incident that a signal opens again. */
  readonly #byKey = new Map<string, Draft>()

  constructor(reading: Reading) {
    this.#reading = reading
    this.#present = new Map(reading.signals.map((signal) => [signal.key, signal]))
    this.#drafts = reading.incidents.map(({ incident, members }) => draftOf(incident, members))
    for (const draft of this.#drafts) {
      for (const member of [...draft.members.values()]) this.#follow(draft, member)
    }
  }

  result(): Assigned {
    const beginning = this.#beginning()
    const causes = findCauses([
      ...beginning.map((signal) => ({ signal, incidentKey: null })),
      ...this.#open().flatMap(({ incident, members }) =>
        this.#signalsOf(members).map((signal) => ({ signal, incidentKey: incident.key })),
      ),
    ])
    this.#merge(causes)
    this.#indexKeys()
    for (const signal of beginning) this.#add(causes.get(signal.key) as string, signal)
    for (const draft of this.#drafts) this.#changeState(draft)
    const changes = this.#drafts
      .filter((draft) => this.#isChanged(draft))
      .map((draft) => this.#toChange(draft))
    return { changes: changes.sort(byWriteOrder), seenOnce: this.#seenOnce }
  }

  #open(): Draft[] {
    return this.#drafts.filter(({ incident }) => incident.endedMs === null)
  }

  #signalsOf(members: ReadonlyMap<string, IncidentMember>): Signal[] {
    return [...members.values()].flatMap(({ key, endedMs }) => {
      const signal = endedMs === null ? this.#present.get(key) : undefined
      return signal ?? []
    })
  }

  /** Notes whether a member is present, missing, or over. */
  #follow(draft: Draft, member: IncidentMember): void {
    const { nowMs, rules, mayLast } = this.#reading
    const signal = this.#present.get(member.key)
    const isRemembered = draft.incident.endedMs !== null
    if (signal && isRemembered && hasDoubled(signal, member)) {
      this.#set(draft, { ...member, endedMs: nowMs })
      this.#doubled.add(member.key)
      return
    }
    this.#owners.set(member.key, draft)
    if (signal && member.missingSinceMs === null && (isRemembered || hasSameValues(signal, member))) return
    if (signal || mayLast(member)) {
      const changes = isRemembered || !signal ? {} : valuesOf(signal)
      this.#set(draft, { ...member, ...changes, missingSinceMs: null })
      return
    }
    const missingSinceMs = member.missingSinceMs ?? nowMs
    const isOver = nowMs - missingSinceMs >= rules[member.kind].quietSeconds * 1_000
    this.#set(draft, { ...member, missingSinceMs, endedMs: isOver ? nowMs : null })
    if (isOver) this.#owners.delete(member.key)
  }

  /** Returns the signals that begin to be members, in an order that does not depend on the order of the signals. */
  #beginning(): Signal[] {
    const { seenOnce } = this.#reading
    const beginning: Signal[] = []
    for (const signal of this.#present.values()) {
      if (this.#owners.has(signal.key)) continue
      const isKnown = seenOnce.has(signal.key) || this.#doubled.has(signal.key)
      if (isKnown || SERVER_KINDS.includes(signal.kind)) beginning.push(signal)
      else this.#seenOnce.add(signal.key)
    }
    return beginning.sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  /** Merges the incidents whose members all belong to one rule above their own. */
  #merge(causes: ReadonlyMap<string, string>): void {
    const groups = new Map<string, Draft[]>()
    for (const draft of this.#open()) {
      const keys = new Set(this.#signalsOf(draft.members).map(({ key }) => causes.get(key) as string))
      const [key] = keys
      if (keys.size !== 1 || key === undefined || rankOf(key) >= rankOf(draft.incident.key)) continue
      groups.set(key, [...(groups.get(key) ?? []), draft])
    }
    // The present incident with the key may itself be merged into another one.
    const merging = new Set([...groups.values()].flat())
    for (const [key, drafts] of groups) {
      const present = this.#open().find((draft) => draft.incident.key === key && !merging.has(draft))
      const [oldest, ...others] = [...(present ? [present] : []), ...drafts].sort(byAge)
      if (oldest) this.#join(oldest, others, key)
    }
  }

  #join(oldest: Draft, others: readonly Draft[], key: string): void {
    const { nowMs } = this.#reading
    oldest.incident = { ...oldest.incident, key, kind: kindOfKey(key) }
    const id = oldest.before?.id ?? null
    for (const other of others) {
      for (const member of [...other.members.values()]) {
        if (member.endedMs !== null) continue
        this.#set(oldest, member)
        oldest.changed.add(member.key)
        this.#owners.set(member.key, oldest)
        other.members.delete(member.key)
        other.changed.delete(member.key)
        other.moved.push(member.key)
      }
      other.incident = { ...other.incident, state: 'ENDED', endedMs: nowMs, mergedInto: id }
      other.lines.push({ kind: 'ENDED', by: null, text: `merged into ${id}` })
    }
    const text = others.map(({ before }) => before?.id).join(', ')
    oldest.lines.push({ kind: 'MERGED', by: null, text: text === '' ? null : text })
  }

  /** Adds a signal to the incident with a key: the open one, one that ended within a day, or a new one. */
  #add(key: string, signal: Signal): void {
    const { nowMs } = this.#reading
    const draft = this.#byKey.get(key) ?? this.#begin(key)
    if (draft.incident.endedMs !== null) {
      const { reopened } = draft.incident
      const open = { state: 'OPEN', endedMs: null, mutedUntilMs: null, ack: null } as const
      draft.incident = { ...draft.incident, ...open, reopened: reopened + 1 }
      draft.lines.push({ kind: 'REOPENED', by: null, text: null })
    }
    const { kind, deviceId, messageId, command, reason, address, count, sinceMs } = signal
    this.#owners.set(signal.key, draft)
    const values = { deviceId, messageId, command, reason, address, count }
    const firstMs = sinceMs ?? nowMs
    this.#set(draft, { key: signal.key, kind, ...values, firstMs, missingSinceMs: null, endedMs: null })
  }

  #indexKeys(): void {
    const { nowMs } = this.#reading
    const ended = this.#drafts.filter((draft) => mayReopen(draft, nowMs)).sort(byAge)
    for (const draft of [...ended, ...this.#open()]) this.#byKey.set(draft.incident.key, draft)
  }

  #begin(key: string): Draft {
    const draft = draftOf(newIncident(key, this.#reading.nowMs), [])
    draft.lines.push({ kind: 'STARTED', by: null, text: null })
    this.#drafts.push(draft)
    this.#byKey.set(key, draft)
    return draft
  }

  #set(draft: Draft, member: IncidentMember): void {
    const before = draft.members.get(member.key)
    draft.members.set(member.key, member)
    if (before === undefined || !isSame(before, member)) draft.changed.add(member.key)
  }

  /** Counts the members of an open incident, and applies the transitions that no person makes. */
  #changeState(draft: Draft): void {
    if (draft.incident.endedMs !== null) return
    const { nowMs } = this.#reading
    const members = [...draft.members.values()].filter(({ endedMs }) => endedMs === null)
    const { mostDevices, mostMessages } = draft.incident
    if (members.length === 0) {
      const ended = { state: 'ENDED', endedMs: nowMs, devices: mostDevices, messages: mostMessages } as const
      draft.incident = { ...draft.incident, ...ended, waiting: 0 }
      draft.lines.push({ kind: 'ENDED', by: null, text: null })
      return
    }
    const { devices, messages, waiting } = this.#numbersOf(members)
    draft.incident = {
      ...draft.incident,
      devices,
      messages,
      waiting,
      mostDevices: Math.max(mostDevices, devices),
      mostMessages: Math.max(mostMessages, messages),
    }
    const kind = reasonToOpen(draft.incident, nowMs)
    if (kind === null) return
    draft.incident = { ...draft.incident, state: 'OPEN', mutedUntilMs: null }
    draft.lines.push({ kind, by: null, text: null })
  }

  #numbersOf(members: readonly IncidentMember[]): { devices: number; messages: number; waiting: number } {
    const waiting = new Map<string, number>()
    let messages = 0
    for (const { key, kind, deviceId, count } of members) {
      if (FAILURE_KINDS.includes(kind) || kind === 'LOGIN_REFUSED') messages += count ?? 0
      if (deviceId !== null)
        waiting.set(deviceId, Math.max(waiting.get(deviceId) ?? 0, this.#present.get(key)?.waiting ?? 0))
    }
    const sum = [...waiting.values()].reduce((total, each) => total + each, 0)
    return { devices: waiting.size, messages, waiting: sum }
  }

  #isChanged({ before, incident, stored, changed, moved, lines, members }: Draft): boolean {
    if (before === null || moved.length > 0 || lines.length > 0) return true
    const isStep = [...changed].some((key) => {
      const [one, other] = [stored.get(key), members.get(key)]
      return one?.missingSinceMs !== other?.missingSinceMs || one?.endedMs !== other?.endedMs
    })
    if (isStep) return true
    const hasNumbers = changed.size > 0 || NUMBERS.some((name) => before[name] !== incident[name])
    return hasNumbers && this.#reading.nowMs - before.changedMs >= NUMBERS_MS
  }

  #toChange({ before, incident, members, changed, moved, lines }: Draft): IncidentChange {
    const changedMs = Math.max(this.#reading.nowMs, (before?.changedMs ?? 0) + 1)
    return {
      before: before && { id: before.id, changedMs: before.changedMs },
      after: { ...incident, changedMs },
      members: [...changed].map((key) => members.get(key) as IncidentMember),
      movedKeys: moved,
      lines,
    }
  }
}

const NUMBERS = ['devices', 'messages', 'waiting'] as const

function draftOf(incident: IncidentRecord | NewIncident, members: readonly IncidentMember[]): Draft {
  const stored = new Map(members.map((member) => [member.key, member]))
  return {
    before: 'id' in incident ? incident : null,
    incident,
    members: new Map(stored),
    stored,
    changed: new Set(),
    moved: [],
    lines: [],
  }
}

function newIncident(key: string, nowMs: number): NewIncident {
  return {
    key,
    kind: kindOfKey(key),
    state: 'OPEN',
    startedMs: nowMs,
    changedMs: nowMs,
    endedMs: null,
    devices: 0,
    messages: 0,
    waiting: 0,
    mostDevices: 0,
    mostMessages: 0,
    ack: null,
    mutedUntilMs: null,
    reopened: 0,
    mergedInto: null,
  }
}

/** Returns the values of a signal that its member keeps up to date. */
function valuesOf({
  deviceId,
  messageId,
  reason,
  count,
}: Signal): Pick<IncidentMember, 'deviceId' | 'messageId' | 'reason' | 'count'> {
  return { deviceId, messageId, reason, count }
}

function hasSameValues(signal: Signal, member: IncidentMember): boolean {
  const { deviceId, messageId, reason, count } = member
  return (
    signal.deviceId === deviceId &&
    signal.messageId === messageId &&
    signal.reason === reason &&
    signal.count === count
  )
}

function hasDoubled({ count }: Signal, member: IncidentMember): boolean {
  return count !== null && member.count !== null && count >= 2 * member.count && count > member.count
}

function mayReopen({ incident: { endedMs, mergedInto } }: Draft, nowMs: number): boolean {
  return endedMs !== null && mergedInto === null && nowMs - endedMs < DAY_MS
}

/** Returns why an incident is open again without a person; null if it keeps its state. */
function reasonToOpen(
  { state, ack, mutedUntilMs, devices, messages }: NewIncident,
  nowMs: number,
): 'UNMUTED' | 'REMINDED' | 'GREW' | null {
  if (state === 'MUTED') return mutedUntilMs !== null && mutedUntilMs <= nowMs ? 'UNMUTED' : null
  if (state !== 'ACKNOWLEDGED' || ack === null) return null
  if (hasGrown(devices, ack.devices) || hasGrown(messages, ack.messages)) return 'GREW'
  return nowMs - ack.atMs >= DAY_MS ? 'REMINDED' : null
}

function hasGrown(now: number, before: number): boolean {
  return now >= 2 * before && now - before >= MIN_GROWTH
}

function isSame(one: IncidentMember, other: IncidentMember): boolean {
  return (Object.keys(other) as (keyof IncidentMember)[]).every((name) => one[name] === other[name])
}

function byAge(one: Draft, other: Draft): number {
  const started = one.incident.startedMs - other.incident.startedMs
  return (
    started || (one.before?.id ?? Number.MAX_SAFE_INTEGER) - (other.before?.id ?? Number.MAX_SAFE_INTEGER)
  )
}

/** Orders changes so that a key is free before another incident takes it. */
function byWriteOrder(one: IncidentChange, other: IncidentChange): number {
  const stage = ({ before, after }: IncidentChange): number => {
    if (after.endedMs !== null) return -1
    return before === null ? Number.MAX_SAFE_INTEGER : rankOf(after.key)
  }
  return stage(one) - stage(other)
}
