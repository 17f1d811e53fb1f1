/** Applies the changes of `assign` to incidents in memory, and checks what must hold after each of them. */
import { expect } from 'vitest'
import type {
  IncidentChange,
  IncidentMember,
  IncidentRecord,
  IncidentWithMembers,
} from '../../src/broker/contract/incident-store.ts'
import { assign } from '../../src/broker/incidents/assign.ts'
import { DEFAULT_RULES, type SignalRules } from '../../src/broker/incidents/incident-rules.ts'
import type { Signal } from '../../src/broker/incidents/signals.ts'

const NO_VALUES = {
  ...{ deviceId: null, messageId: null, command: null, reason: null, address: null },
  ...{ count: null, sinceMs: null, awayMs: null, gateway: null, waiting: 0 },
}

/** Returns a signal whose key follows from its kind, its device and its command. */
export function signalOf(kind: Signal['kind'], parts: Partial<Signal> = {}): Signal {
  const subject = [parts.address ?? parts.deviceId, parts.command].filter((each) => typeof each === 'string')
  return { ...NO_VALUES, kind, key: [kind, ...subject].join(':'), ...parts }
}

export class IncidentWorld {
  nowMs = 1_000_000_000_000
  rules: SignalRules = DEFAULT_RULES
  mayLast: (member: IncidentMember) => boolean = () => false
  readonly incidents = new Map<number, IncidentRecord>()
  readonly members = new Map<number, Map<string, IncidentMember>>()
  /** Lines of all incidents: id and kind. */
  readonly lines: [id: number, kind: string][] = []
  #seenOnce: ReadonlySet<string> = new Set()
  #lastId = 0

  /** Reads signals after a time, and applies the changes. */
  read(signals: readonly Signal[], afterMs = 10_000): readonly IncidentChange[] {
    this.nowMs += afterMs
    const { rules, mayLast, nowMs } = this
    const incidents = this.current()
    const assigned = assign({ signals, incidents, seenOnce: this.#seenOnce, mayLast, rules, nowMs })
    this.#seenOnce = assigned.seenOnce
    for (const change of assigned.changes) this.apply(change)
    this.#check()
    return assigned.changes
  }

  /** Reads the same signals twice, so that they begin. */
  begin(signals: readonly Signal[]): void {
    this.read(signals)
    this.read(signals)
  }

  current(): IncidentWithMembers[] {
    return [...this.incidents.values()]
      .map((incident) => {
        const members = [...(this.members.get(incident.id)?.values() ?? [])]
        return { incident, members: members.filter(({ endedMs }) => endedMs === null) }
      })
      .filter(({ incident, members }) => {
        const { endedMs } = incident
        return endedMs === null || members.length > 0 || endedMs >= this.nowMs - 86_400_000
      })
  }

  apply({ before, after, members, movedKeys, lines }: IncidentChange): number {
    const id = before?.id ?? ++this.#lastId
    if (before) expect(after.changedMs).toBeGreaterThan(before.changedMs)
    this.incidents.set(id, { ...after, id })
    const known = this.members.get(id) ?? new Map<string, IncidentMember>()
    this.members.set(id, known)
    for (const key of movedKeys) known.delete(key)
    for (const member of members) known.set(member.key, member)
    for (const { kind } of lines) this.lines.push([id, kind])
    return id
  }

  /** Returns the incidents that have not ended: their keys with the keys of their members. */
  open(): Record<string, string[]> {
    const open = this.current().filter(({ incident }) => incident.endedMs === null)
    return Object.fromEntries(
      open
        .map(({ incident, members }) => [incident.key, members.map(({ key }) => key).sort()] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  }

  byKey(key: string): IncidentRecord {
    const found = [...this.incidents.values()].filter((each) => each.key === key).at(-1)
    if (found === undefined) throw new Error(`no incident has the key ${key}`)
    return found
  }

  /** Changes an incident as a person would. */
  act(key: string, changes: Partial<IncidentRecord>): void {
    const incident = this.byKey(key)
    this.incidents.set(incident.id, { ...incident, ...changes, changedMs: incident.changedMs + 1 })
  }

  #check(): void {
    const open = this.current().filter(({ incident }) => incident.endedMs === null)
    const keys = open.map(({ incident }) => incident.key)
    expect(new Set(keys).size).toBe(keys.length)
    const members = this.current().flatMap((each) => each.members.map(({ key }) => key))
    expect(new Set(members).size).toBe(members.length)
    for (const each of open) expect(each.members.length).toBeGreaterThan(0)
  }
}
