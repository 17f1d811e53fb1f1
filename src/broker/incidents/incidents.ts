/** Shows incidents to persons, most urgent first, and changes their states. Knows neither HTTP nor SQL. */
import { entryOf } from '../../audit/actor.ts'
import type { Actor, AuditAction } from '../../audit/audit.ts'
import type {
  IncidentFilter,
  IncidentLine,
  IncidentMember,
  IncidentRecord,
  IncidentRule,
  IncidentStore,
  NewIncident,
  NewIncidentLine,
  SignalKind,
} from '../contract/incident-store.ts'
import { BrokerError, type BrokerErrorCode } from '../vocabulary/errors.ts'
import { helpFor, type IncidentHelp } from './incident-actions.ts'
import { checkRules, listRules } from './incident-rules.ts'
import { classOf, compareIncidents } from './urgency.ts'

/** Maximum incidents that are sorted by urgency. */
const MAX_OPEN = 5_000
/** Maximum members of which an incident shows reasons and the oldest time. */
const MAX_MEMBERS = 10_000
const MAX_LINES = 200
const MAX_MUTE_MS = 30 * 86_400_000
/** Number of attempts to change an incident while the recorder changes it. */
const TRIES = 5

export interface ListedIncident extends IncidentRecord {
  readonly class: number
  /** Kinds of its members that have not ended; after the end of the incident, of all. */
  readonly signals: readonly SignalKind[]
}

export interface ListedIncidents {
  /** Numbers of all incidents by state. */
  readonly open: number
  readonly acknowledged: number
  readonly muted: number
  readonly items: readonly ListedIncident[]
}

export interface IncidentDetail extends ListedIncident {
  /** Time of the oldest member; null without members. */
  readonly oldestMs: number | null
  /** Reasons of the members that have not ended, the most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[]
  /** Actions that help, the best first; empty after the end. */
  readonly actions: readonly IncidentHelp[]
  readonly lines: readonly IncidentLine[]
}

/** Change of incidents by a person. */
export type IncidentAction =
  | { readonly is: 'acknowledge'; readonly note: string | null }
  | { readonly is: 'mute'; readonly untilMs: number; readonly note: string | null }
  | { readonly is: 'reopen' }
  | { readonly is: 'resolve'; readonly note: string }

export interface ChangedIncidents {
  readonly changed: number
  readonly failed: readonly { readonly id: number; readonly code: BrokerErrorCode }[]
}

type Step = Pick<NewIncident, 'state' | 'endedMs' | 'ack' | 'mutedUntilMs'> & {
  readonly line: NewIncidentLine
}

export interface IncidentsOptions {
  readonly store: IncidentStore
  /** Called after a change of the rules, so that the next reading is soon. */
  readonly onRules: () => void
  /** Returns whether a client has an id. */
  readonly isClient: (deviceId: string) => boolean
  readonly now: () => number
}

export class Incidents {
  readonly #options: IncidentsOptions

  constructor(options: IncidentsOptions) {
    this.#options = options
  }

  /** Lists open incidents by urgency, or ended ones newest first. */
  async list(filter: IncidentFilter, limit: number): Promise<ListedIncidents> {
    const { store } = this.#options
    const found = await store.list(filter, filter.isEnded ? limit : MAX_OPEN)
    const items = filter.isEnded ? found : [...found].sort(compareIncidents).slice(0, limit)
    const counts = { OPEN: 0, ACKNOWLEDGED: 0, MUTED: 0, ENDED: 0 }
    for (const { state, count } of await store.counts()) counts[state] += count
    return {
      open: counts.OPEN,
      acknowledged: counts.ACKNOWLEDGED,
      muted: counts.MUTED,
      items: await listedIncidents(store, items),
    }
  }

  /** @throws {BrokerError} unknown-incident */
  async get(id: number): Promise<IncidentDetail> {
    const { store, isClient } = this.#options
    const incident = await this.#find(id)
    const members = await store.members(id, '', MAX_MEMBERS)
    const reasons = new Map<string, number>()
    for (const { reason, count, endedMs } of members) {
      if (reason === null || (endedMs !== null && incident.endedMs === null)) continue
      reasons.set(reason, (reasons.get(reason) ?? 0) + (count ?? 1))
    }
    const times = members.map(({ firstMs }) => firstMs)
    const lasting = members.filter(({ endedMs }) => endedMs === null)
    const [listed] = await listedIncidents(store, [incident])
    return {
      ...(listed as ListedIncident),
      oldestMs: times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other)),
      reasons: [...reasons]
        .map(([reason, count]) => ({ reason, count }))
        .sort((one, other) => other.count - one.count),
      actions: incident.endedMs === null ? helpFor(incident, lasting, isClient) : [],
      lines: await store.lines(id, MAX_LINES),
    }
  }

  /** @throws {BrokerError} unknown-incident */
  async members(id: number, after: string, limit: number): Promise<readonly IncidentMember[]> {
    await this.#find(id)
    return this.#options.store.members(id, after, limit)
  }

  /**
   * Changes incidents one after the other. An incident that cannot be changed does not keep the others from it.
   *
   * @throws {BrokerError} bad-range for a mute into the past, or for too long
   */
  async change(ids: readonly number[], action: IncidentAction, by: Actor): Promise<ChangedIncidents> {
    if (action.is === 'mute') this.#checkUntil(action.untilMs)
    const failed: { id: number; code: BrokerErrorCode }[] = []
    for (const id of new Set(ids)) {
      try {
        await this.#change(id, action, by)
      } catch (error) {
        if (!(error instanceof BrokerError) || error.code.startsWith('storage-')) throw error
        failed.push({ id, code: error.code })
      }
    }
    return { changed: new Set(ids).size - failed.length, failed }
  }

  /**
   * Adds a line to the history of an incident. It renews an acknowledgement.
   *
   * @throws {BrokerError} unknown-incident
   */
  async note(id: number, text: string, by: Actor): Promise<IncidentLine> {
    await this.#write(id, by, 'incident.note', (incident, nowMs) => ({
      ...incident,
      ack: incident.ack && { ...incident.ack, atMs: nowMs },
      line: { kind: 'NOTE', by: by.clientId, text },
    }))
    const [line] = await this.#options.store.lines(id, 1)
    return line as IncidentLine
  }

  async rules(): Promise<readonly IncidentRule[]> {
    return listRules(await this.#options.store.rules())
  }

  /** Replaces all rules. A kind that is left out has its default. @throws {BrokerError} bad-rule */
  async setRules(rules: readonly IncidentRule[], by: Actor): Promise<readonly IncidentRule[]> {
    checkRules(rules)
    await this.#options.store.setRules(rules, entryOf(by, 'incident.rules', null, { rules }))
    this.#options.onRules()
    return listRules(rules)
  }

  #checkUntil(untilMs: number): void {
    const leftMs = untilMs - this.#options.now()
    if (leftMs > 0 && leftMs <= MAX_MUTE_MS) return
    throw new BrokerError('bad-range', 'A mute ends in the future, and at most 30 days ahead.')
  }

  async #find(id: number): Promise<IncidentRecord> {
    const incident = await this.#options.store.get(id)
    if (incident === null) throw unknownIncident(id)
    return incident
  }

  #change(id: number, action: IncidentAction, by: Actor): Promise<void> {
    return this.#write(id, by, `incident.${action.is}`, (incident, nowMs) => {
      if (incident.endedMs !== null) throw incidentEnded(id)
      return stepOf(action, incident, by, nowMs)
    })
  }

  /** Writes a step, based on the state that was read. Reads again when the incident has changed meanwhile. */
  async #write(
    id: number,
    by: Actor,
    action: AuditAction,
    step: (incident: IncidentRecord, nowMs: number) => Step,
  ): Promise<void> {
    const { store, now } = this.#options
    for (let tries = 1; tries <= TRIES; tries++) {
      const incident = await this.#find(id)
      const { line, state, endedMs, ack, mutedUntilMs } = step(incident, now())
      const { mostDevices, mostMessages } = incident
      const after: NewIncident = {
        ...incident,
        state,
        endedMs,
        ack,
        mutedUntilMs,
        changedMs: Math.max(now(), incident.changedMs + 1),
        ...(endedMs !== null && { devices: mostDevices, messages: mostMessages, waiting: 0 }),
      }
      const before = { id, changedMs: incident.changedMs }
      const change = { before, after, members: [], movedKeys: [], lines: [line] }
      const entry = entryOf(by, action, id, { key: incident.key, note: line.text })
      if ((await store.write([change], entry)) !== null) return
    }
    throw new BrokerError('storage-busy', 'The incident changes too often. Try again in a second.')
  }
}

function stepOf(action: IncidentAction, incident: IncidentRecord, by: Actor, nowMs: number): Step {
  const { devices, messages } = incident
  const ackOf = (note: string | null) => ({ by: by.clientId, atMs: nowMs, note, devices, messages })
  const none = { endedMs: null, mutedUntilMs: null }
  const lineBy = { by: by.clientId }
  switch (action.is) {
    case 'acknowledge': {
      const line = { ...lineBy, kind: 'ACKNOWLEDGED', text: action.note } as const
      return { ...none, state: 'ACKNOWLEDGED', ack: ackOf(action.note), line }
    }
    case 'mute': {
      const line = { ...lineBy, kind: 'MUTED', text: action.note } as const
      return { ...none, state: 'MUTED', ack: ackOf(action.note), mutedUntilMs: action.untilMs, line }
    }
    case 'reopen':
      return { ...none, state: 'OPEN', ack: null, line: { ...lineBy, kind: 'REOPENED', text: null } }
    case 'resolve': {
      const line = { ...lineBy, kind: 'RESOLVED', text: action.note } as const
      return { ...none, state: 'ENDED', endedMs: nowMs, ack: incident.ack, line }
    }
  }
}

/** Adds what is not stored with the incidents. */
export async function listedIncidents(
  store: Pick<IncidentStore, 'signalsOf'>,
  incidents: readonly IncidentRecord[],
): Promise<readonly ListedIncident[]> {
  const signals = await store.signalsOf(incidents.map(({ id }) => id))
  return incidents.map((each) => ({ ...each, class: classOf(each), signals: signals.get(each.id) ?? [] }))
}

function unknownIncident(id: number): BrokerError {
  return new BrokerError('unknown-incident', `There is no incident ${id}.`, undefined, { id })
}

function incidentEnded(id: number): BrokerError {
  return new BrokerError('incident-ended', `Incident ${id} has ended.`, undefined, { id })
}
