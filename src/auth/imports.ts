/**
 * Many clients at once: what a list would change, and its doing in the background, since each password takes a
 * moment to hash. Knows no CSV and no HTTP.
 */
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { AccountError } from './errors.ts'
import { hasNul, isTooLong, MAX_PASSWORD_BYTES, matches } from './password.ts'

/** What is left out stays as it is, or is that of a new client. */
export interface Entry {
  readonly deviceId: string
  readonly password?: string | undefined
  readonly role?: Role | undefined
  readonly description?: string | undefined
}

/** A line of a list: what it asks for, or why it cannot be read. */
export type Line =
  | { readonly line: number; readonly entry: Entry }
  | { readonly line: number; readonly problem: string }

export interface Refused {
  readonly line: number
  /** Null: the line could not be read. */
  readonly deviceId: string | null
  readonly problem: string
}

export interface ImportReport {
  readonly id: number
  /** PLANNED: a dry run, nothing was changed. STOPPED: the server shut down in between. */
  readonly state: 'PLANNED' | 'RUNNING' | 'DONE' | 'STOPPED'
  readonly lines: number
  /** Lines that are done with; the rest is still to come. */
  readonly done: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: readonly Refused[]
}

type Count = 'created' | 'changed' | 'unchanged'

/** Imports that can be asked for; in memory, so that a restart forgets them. */
const KEPT = 20

export class Imports {
  readonly #clients: ClientList
  readonly #reports = new Map<number, ImportReport>()
  /** Begins with the time, so that an id from before a restart is never that of another import. */
  #lastId = Date.now()
  #running: Promise<void> | null = null
  #closing = false

  constructor(clients: ClientList) {
    this.#clients = clients
  }

  /** What the list would change. A password that is given counts as a change. */
  plan(lines: readonly Line[]): ImportReport {
    let report = blank(0, 'PLANNED', lines)
    const seen = new Set<string>()
    for (const line of lines) {
      const problem = this.#problemOf(line, seen)
      if (problem !== null) report = refuse(report, line, problem)
      else if ('entry' in line) report = count(report, this.#effectOf(line.entry))
    }
    return report
  }

  /**
   * Begins to make and change clients, line by line. A line that is refused leaves the others alone.
   *
   * @throws {AccountError} import-running
   */
  start(lines: readonly Line[]): ImportReport {
    if (this.#running)
      throw new AccountError('import-running', 'Another import is running: wait for its end.')
    const report = blank(++this.#lastId, 'RUNNING', lines)
    this.#keep(report)
    this.#running = this.#run(report, lines).finally(() => {
      this.#running = null
    })
    return report
  }

  /** @throws {AccountError} unknown-import */
  get(id: number): ImportReport {
    const report = this.#reports.get(id)
    if (!report)
      throw new AccountError(
        'unknown-import',
        `No import ${id} is known: only the last ${KEPT} since the start of the server are. GET /admin/api/clients tells what was done.`,
      )
    return report
  }

  /** @returns when the line that is under way is done with */
  async close(): Promise<void> {
    this.#closing = true
    await this.#running
  }

  async #run(started: ImportReport, lines: readonly Line[]): Promise<void> {
    let report = started
    const seen = new Set<string>()
    for (const line of lines) {
      if (this.#closing) break
      report = await this.#step(report, line, seen)
      this.#keep(report)
    }
    this.#keep({ ...report, state: report.done === lines.length ? 'DONE' : 'STOPPED' })
  }

  async #step(report: ImportReport, line: Line, seen: Set<string>): Promise<ImportReport> {
    const problem = this.#problemOf(line, seen)
    if (problem !== null || !('entry' in line)) return refuse(report, line, problem ?? '')
    try {
      return count(report, await this.#apply(line.entry))
    } catch (error) {
      return refuse(report, line, (error as Error).message)
    }
  }

  async #apply(entry: Entry): Promise<Count> {
    const { deviceId, password, role, description } = entry
    const before = this.#clients.byDevice(deviceId)
    if (!before) {
      await this.#clients.create({ deviceId, password: password as string, role, description })
      return 'created'
    }
    // The same password again must not end the client's tokens.
    const isNew = password !== undefined && !(await matches(password, before.passwordHash))
    const change = { password: isNew ? password : undefined, role, description }
    if (!isNew && !differs(before, entry)) return 'unchanged'
    await this.#clients.change(before.id, change)
    return 'changed'
  }

  #effectOf(entry: Entry): Count {
    const before = this.#clients.byDevice(entry.deviceId)
    if (!before) return 'created'
    return entry.password !== undefined || differs(before, entry) ? 'changed' : 'unchanged'
  }

  #problemOf(line: Line, seen: Set<string>): string | null {
    if ('problem' in line) return line.problem
    const { deviceId, password } = line.entry
    if (seen.has(deviceId)) return 'This deviseId was on a line before.'
    seen.add(deviceId)
    if (password === undefined)
      return this.#clients.byDevice(deviceId) ? null : 'A new client needs a password.'
    if (hasNul(password)) return 'A password has no NUL (U+0000).'
    return isTooLong(password) ? `A password has at most ${MAX_PASSWORD_BYTES} bytes of UTF-8.` : null
  }

  #keep(report: ImportReport): void {
    this.#reports.set(report.id, report)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > KEPT) this.#reports.delete(oldest as number)
  }
}

function differs(before: ClientRecord, { role, description }: Entry): boolean {
  return (role ?? before.role) !== before.role || (description ?? before.description) !== before.description
}

function blank(id: number, state: ImportReport['state'], lines: readonly Line[]): ImportReport {
  return { id, state, lines: lines.length, done: 0, created: 0, changed: 0, unchanged: 0, refused: [] }
}

function count(report: ImportReport, what: Count): ImportReport {
  return { ...report, done: report.done + 1, [what]: report[what] + 1 }
}

function refuse(report: ImportReport, line: Line, problem: string): ImportReport {
  const deviceId = 'entry' in line ? line.entry.deviceId : null
  return {
    ...report,
    done: report.done + 1,
    refused: [...report.refused, { line: line.line, deviceId, problem }],
  }
}
