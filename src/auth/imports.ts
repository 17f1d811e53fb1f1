/**
 * Imports lists of clients: plans the changes of a list, and makes them in the background, because bcrypt is slow by
 * design. Knows no CSV and no HTTP.
 */
import { entryOf } from '../audit/actor.ts'
import type { Actor, AuditStore } from '../audit/audit.ts'
import { Duties } from '../process/duties.ts'
import type { ClientList } from './client-list.ts'
import { AccountError, importRunning } from './errors.ts'
import type { Held, HoldAccess } from './held.ts'
import {
  differs,
  ImportCheck,
  type ImportEntry,
  type ImportLine,
  type LineEffect,
  type LineProblem,
  withPasswords,
} from './import-lines.ts'
import { type ImportPlan, planImport } from './import-plan.ts'
import { blankReport, countLine, countsOf, type ImportReport, refuseLine } from './import-report.ts'
import { type ImportStore, MAX_REPORTS } from './import-store.ts'
import { matches } from './password.ts'
import { isPasswordHash } from './password-hash.ts'

const SAVE_MS = 1_000

export class Imports {
  readonly #clients: ClientList
  readonly #audit: Pick<AuditStore, 'add' | 'complete'>
  readonly #reports = new Map<number, ImportReport>()
  /** Id of the last import. It starts with the current time, so that ids from before a restart are never reused. */
  #lastId = Date.now()
  #running: Promise<void> | null = null
  #closing = false
  readonly #store: ImportStore | null
  readonly #duties: Pick<Duties, 'perform'>
  #savedMs = 0

  /**
   * @param audit its `complete` never rejects
   * @param store shows the reports on every node; null with a single node
   */
  constructor(
    clients: ClientList,
    audit: Pick<AuditStore, 'add' | 'complete'>,
    store: ImportStore | null = null,
    duties: Pick<Duties, 'perform'> = new Duties(),
  ) {
    this.#clients = clients
    this.#audit = audit
    this.#store = store
    this.#duties = duties
  }

  /** Returns the changes that a list would make. */
  plan(lines: readonly ImportLine[]): ImportPlan {
    return planImport(lines, this.#clients)
  }

  /** Adds a random password to each line of a new client without one. */
  withPasswords(lines: readonly ImportLine[]): ImportLine[] {
    return withPasswords(lines, this.#clients)
  }

  /**
   * Starts to create and change clients, line by line. A refused line does not stop the import. The audit trail has one
   * line for the import, which is durable before the first change, and has the counts after the last. When the access
   * of its caller ends, the import stops after its current line.
   *
   * @param hold registers the import as a holder of the access
   * @throws {AccountError} import-running
   * @throws {BrokerError} the errors of the storage, when the line of the audit trail could not be written
   */
  async start(lines: readonly ImportLine[], by: Actor, hold: HoldAccess): Promise<ImportReport> {
    if (this.#running) throw importRunning()
    const held = hold(() => {})
    const begun = this.#begin(lines, by)
    this.#running = begun
      .then(
        ({ report, auditId }) => this.#run(report, lines, auditId, held),
        () => {},
      )
      .finally(() => {
        held.release()
        this.#running = null
      })
    return (await begun).report
  }

  async #begin(
    lines: readonly ImportLine[],
    by: Actor,
  ): Promise<{ readonly report: ImportReport; readonly auditId: number }> {
    const blank = blankReport(++this.#lastId, 'RUNNING', lines)
    if (this.#store) this.#lastId = await this.#store.begin(blank)
    const report = { ...blank, id: this.#lastId }
    try {
      const auditId = await this.#audit.add(entryOf(by, 'client.import', report.id, countsOf(report)))
      return { report, auditId }
    } catch (error) {
      // The other nodes would refuse an import for as long as this one seems to run.
      await this.#saveEnd({ ...report, state: 'STOPPED' })
      throw error
    }
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

  /** Stops a running import. Resolves when its current line is finished. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#running
  }

  async #run(
    started: ImportReport,
    lines: readonly ImportLine[],
    auditId: number,
    held: Held,
  ): Promise<void> {
    let report = started
    this.#keep(report)
    const check = new ImportCheck(this.#clients)
    for (const line of lines) {
      if (this.#closing || !held.holds()) break
      report = await this.#step(report, line, check)
      this.#keep(report)
      if (this.#store && performance.now() - this.#savedMs >= SAVE_MS) await this.#save(report)
    }
    const ended: ImportReport = { ...report, state: report.done === lines.length ? 'DONE' : 'STOPPED' }
    await this.#audit.complete(auditId, countsOf(ended))
    await this.#saveEnd(ended)
    // A client that sees the end may start another import at once.
    this.#keep(ended)
  }

  /** Shares the state of a running import with the other nodes. If the storage fails, the next state follows soon. */
  async #save(report: ImportReport): Promise<void> {
    this.#savedMs = performance.now()
    await this.#store?.save(report).catch(() => {})
  }

  /** Shares the end of an import with the other nodes. The storage reports its failures. */
  async #saveEnd(report: ImportReport): Promise<void> {
    await this.#duties.perform(
      async () => this.#store?.save(report),
      () => {},
    )
  }

  async #step(report: ImportReport, line: ImportLine, check: ImportCheck): Promise<ImportReport> {
    const problem = check.findProblem(line)
    if (problem !== null || !('entry' in line))
      return problem === null ? report : refuseLine(report, line, problem)
    try {
      return countLine(report, await this.#apply(line.entry))
    } catch (error) {
      const { code = 'unexpected', message, params } = error as Partial<LineProblem> & Error
      return refuseLine(report, line, { code, message, params })
    }
  }

  async #apply(entry: ImportEntry): Promise<LineEffect> {
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
    // An unchanged password must not end the tokens of the client. A hash equals the client's, or its line is refused.
    const isNew =
      password !== undefined &&
      !entry.isGenerated &&
      !isPasswordHash(password) &&
      !(await matches(password, before.passwordHash))
    if (!isNew && !differs(before, entry)) return 'unchanged'
    await this.#clients.change(before.id, {
      password: isNew ? password : undefined,
      role,
      description,
      devices,
      ownQueueOnly,
    })
    return 'changed'
  }

  #keep(report: ImportReport): void {
    this.#reports.set(report.id, report)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > MAX_REPORTS) this.#reports.delete(oldest as number)
  }
}
