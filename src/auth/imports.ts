/**
 * Imports lists of clients: plans the changes of a list, and makes them in the background, since bcrypt is slow by design.
 * Knows no CSV and no HTTP.
 */
import { entryOf } from '../audit/actor.ts'
import type { Actor, AuditStore } from '../audit/audit.ts'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { paddingProblem } from './device-id.ts'
import { AccountError, importRunning } from './errors.ts'
import { type ImportStore, MAX_REPORTS } from './import-store.ts'
import { hasNul, isTooLong, MAX_PASSWORD_BYTES, matches } from './password.ts'
import { ACCEPTED_COSTS, isPasswordHash, refusedCostOf, toStoredHash } from './password-hash.ts'

/** Values for one client. Omitted members stay as they are, or are the defaults of a new client. */
export interface ImportEntry {
  readonly deviceId: string
  /** Password, or the bcrypt hash that a new client gets and a present client has. */
  readonly password?: string | undefined
  readonly role?: Role | undefined
  readonly description?: string | undefined
  readonly devices?: readonly string[] | undefined
  readonly ownQueueOnly?: boolean | undefined
}

/** A line of a list: its entry, or the reason why it is not readable. */
export type ImportLine =
  | { readonly line: number; readonly entry: ImportEntry }
  | { readonly line: number; readonly problem: string }

/** A line that changed nothing, and the reason. */
export interface RefusedLine {
  readonly line: number
  /** Device id of the line; null if the line is not readable. */
  readonly deviceId: string | null
  readonly problem: string
}

export interface ImportReport {
  readonly id: number
  /** State of the import. PLANNED: a dry run, without changes. STOPPED: the server shut down before the end. */
  readonly state: 'PLANNED' | 'RUNNING' | 'DONE' | 'STOPPED'
  readonly lines: number
  /** Number of finished lines, the refused ones included. */
  readonly done: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: readonly RefusedLine[]
}

type Effect = 'created' | 'changed' | 'unchanged'

/** Minimum time between two writes of a report to the store, in milliseconds. */
const SAVE_MS = 1_000

export class Imports {
  readonly #clients: ClientList
  readonly #audit: Pick<AuditStore, 'add' | 'complete'>
  readonly #reports = new Map<number, ImportReport>()
  /** Id of the last import. It starts with the time, so that ids from before a restart are never used again. */
  #lastId = Date.now()
  #running: Promise<void> | null = null
  #closing = false
  readonly #store: ImportStore | null
  #savedMs = 0

  /** @param store shows the reports on every node; null when there is one node */
  constructor(
    clients: ClientList,
    audit: Pick<AuditStore, 'add' | 'complete'>,
    store: ImportStore | null = null,
  ) {
    this.#clients = clients
    this.#audit = audit
    this.#store = store
  }

  /** Returns the changes that a list would make. A given password counts as a change; a hash does not. */
  plan(lines: readonly ImportLine[]): ImportReport {
    let report = blank(0, 'PLANNED', lines)
    const seen = new Set<string>()
    for (const line of lines) {
      const problem = this.#findProblem(line, seen)
      if (problem !== null) report = refuse(report, line, problem)
      else if ('entry' in line) report = count(report, this.#effectOf(line.entry))
    }
    return report
  }

  /**
   * Starts to create and change clients, line by line. A refused line does not stop the import. The audit trail has one line
   * for the import, which is durable before the first change, and has the counts after the last one.
   *
   * @throws {AccountError} import-running
   * @throws {BrokerError} the errors of the storage, when the line of the audit trail could not be written
   */
  async start(lines: readonly ImportLine[], by: Actor): Promise<ImportReport> {
    if (this.#running) throw importRunning()
    const begun = this.#begin(lines, by)
    this.#running = begun
      .then(
        ({ report, auditId }) => this.#run(report, lines, auditId),
        () => {},
      )
      .finally(() => {
        this.#running = null
      })
    return (await begun).report
  }

  async #begin(
    lines: readonly ImportLine[],
    by: Actor,
  ): Promise<{ readonly report: ImportReport; readonly auditId: number }> {
    const blankReport = blank(++this.#lastId, 'RUNNING', lines)
    if (this.#store) this.#lastId = await this.#store.begin(blankReport)
    const report = { ...blankReport, id: this.#lastId }
    const auditId = await this.#audit.add(entryOf(by, 'client.import', report.id, countsOf(report)))
    return { report, auditId }
  }

  /** Returns the report of an import of any node. @throws {AccountError} unknown-import */
  async get(id: number): Promise<ImportReport> {
    const report = this.#reports.get(id) ?? (await this.#store?.get(id))
    if (!report)
      throw new AccountError(
        'unknown-import',
        `There is no report of import ${id}: the server keeps the last ${MAX_REPORTS} since its start. GET /admin/api/clients lists the clients.`,
        { id },
      )
    return report
  }

  /** Stops a running import. Resolves when its present line is finished. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#running
  }

  async #run(started: ImportReport, lines: readonly ImportLine[], auditId: number): Promise<void> {
    let report = started
    this.#keep(report)
    const seen = new Set<string>()
    for (const line of lines) {
      if (this.#closing) break
      report = await this.#step(report, line, seen)
      this.#keep(report)
      if (this.#store && performance.now() - this.#savedMs >= SAVE_MS) await this.#save(report)
    }
    const ended: ImportReport = { ...report, state: report.done === lines.length ? 'DONE' : 'STOPPED' }
    // Without this detail the line says that the import was running, which is true of its last known state.
    await this.#audit.complete(auditId, countsOf(ended)).catch(() => {})
    await this.#save(ended)
    // A client that sees the end may start another import at once.
    this.#keep(ended)
  }

  /** Shows a report on the other nodes. Without the storage they show an earlier state, and that of this node is right. */
  async #save(report: ImportReport): Promise<void> {
    this.#savedMs = performance.now()
    await this.#store?.save(report).catch(() => {})
  }

  async #step(report: ImportReport, line: ImportLine, seen: Set<string>): Promise<ImportReport> {
    const problem = this.#findProblem(line, seen)
    if (problem !== null || !('entry' in line)) return refuse(report, line, problem ?? '')
    try {
      return count(report, await this.#apply(line.entry))
    } catch (error) {
      return refuse(report, line, (error as Error).message)
    }
  }

  async #apply(entry: ImportEntry): Promise<Effect> {
    const { deviceId, password, role, description, devices, ownQueueOnly } = entry
    const before = this.#clients.byDevice(deviceId)
    if (!before) {
      await this.#clients.create({
        deviceId,
        password: password as string,
        role,
        description,
        devices,
        ownQueueOnly,
      })
      return 'created'
    }
    // The same password must not end the tokens of the client. A hash is that of the client, or its line is refused.
    const isNew =
      password !== undefined && !isPasswordHash(password) && !(await matches(password, before.passwordHash))
    if (!isNew && !differs(before, entry)) return 'unchanged'
    await this.#clients.change(before.id, {
      password: isNew ? password : undefined,
      ...{ role, description, devices, ownQueueOnly },
    })
    return 'changed'
  }

  #effectOf(entry: ImportEntry): Effect {
    const before = this.#clients.byDevice(entry.deviceId)
    if (!before) return 'created'
    const hasPassword = entry.password !== undefined && !isPasswordHash(entry.password)
    return hasPassword || differs(before, entry) ? 'changed' : 'unchanged'
  }

  #findProblem(line: ImportLine, seen: Set<string>): string | null {
    if ('problem' in line) return line.problem
    const { deviceId, password } = line.entry
    if (seen.has(deviceId)) return 'An earlier line has this deviseId. Remove one of the lines.'
    seen.add(deviceId)
    const before = this.#clients.byDevice(deviceId)
    const padding = before ? null : paddingProblem(deviceId)
    if (padding !== null) return padding
    if (password === undefined) return before ? null : 'A new client needs a password.'
    if (isPasswordHash(password)) return findHashProblem(password, before)
    if (hasNul(password)) return 'The password has a NUL (U+0000). Choose another.'
    return isTooLong(password)
      ? `The password has more than ${MAX_PASSWORD_BYTES} bytes of UTF-8. Choose a shorter one.`
      : null
  }

  #keep(report: ImportReport): void {
    this.#reports.set(report.id, report)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > MAX_REPORTS) this.#reports.delete(oldest as number)
  }
}

function findHashProblem(hash: string, before: ClientRecord | undefined): string | null {
  if (before) {
    return before.passwordHash === toStoredHash(hash)
      ? null
      : 'The client exists with another password, and only a new client may have a bcrypt hash. Give the password itself, or leave the cell empty.'
  }
  const cost = refusedCostOf(hash)
  return cost === null
    ? null
    : `The password is a bcrypt hash of cost ${cost}. Use a hash of cost ${ACCEPTED_COSTS}, or the password itself.`
}

function differs(before: ClientRecord, { role, description, devices, ownQueueOnly }: ImportEntry): boolean {
  return (
    (role ?? before.role) !== before.role ||
    (description ?? before.description) !== before.description ||
    (devices ?? before.devices).join(' ') !== before.devices.join(' ') ||
    (ownQueueOnly ?? before.ownQueueOnly) !== before.ownQueueOnly
  )
}

function blank(id: number, state: ImportReport['state'], lines: readonly ImportLine[]): ImportReport {
  return { id, state, lines: lines.length, done: 0, created: 0, changed: 0, unchanged: 0, refused: [] }
}

/** Returns what the audit trail says about an import. */
function countsOf({ state, lines, created, changed, unchanged, refused }: ImportReport) {
  return { state, lines, created, changed, unchanged, refused: refused.length }
}

function count(report: ImportReport, what: Effect): ImportReport {
  return { ...report, done: report.done + 1, [what]: report[what] + 1 }
}

function refuse(report: ImportReport, line: ImportLine, problem: string): ImportReport {
  const deviceId = 'entry' in line ? line.entry.deviceId : null
  return {
    ...report,
    done: report.done + 1,
    refused: [...report.refused, { line: line.line, deviceId, problem }],
  }
}
