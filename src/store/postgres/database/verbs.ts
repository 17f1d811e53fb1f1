/**
 * Verbs of the store: functions of PostgreSQL that take an array of calls as JSON, and return an array of results in
 * the same order. A verb that writes has tickets, so that each call takes effect once; a verb that only reads has none.
 */
import type { Connection } from './connection.ts'
import { type BatchKeys, Lane, type LaneOptions, PATIENCE_MS } from './lane.ts'

export interface VerbsOptions {
  connect(purpose: string): Connection
  nodeId(): number
  /** Called after each commit that wrote to the journal. */
  readonly onCommit?: () => void
  /** Called with the time from a batch of writes to its commit, in milliseconds. */
  readonly onWritten?: (ms: number) => void
  /** Called with the error of each failed attempt of a call, and with null after a successful one. */
  readonly onTry?: (error: unknown) => void
  /** Called when a caller is refused because the database does not answer. */
  readonly onAway?: () => void
}

export interface VerbOptions<Call, Result> {
  /**
   * Name of the function: `name(p_node int, p_calls json) RETURNS json`, without `p_node` for a verb that only reads.
   */
  readonly name: string
  readonly keysOf: (call: Call) => BatchKeys
  readonly patienceMs?: number | null
  readonly onLate?: (call: Call, result: Result) => void
  /**
   * Name of a function `name(p_results json) RETURNS json`, which extends the results of a verb that writes. The
   * extension is not stored with the ticket.
   */
  readonly completedBy?: string
}

/** Keys of calls that may share a batch with every other call. */
export const SHARED: BatchKeys = { alone: [], shared: [] }
/** Keys of calls that need a batch of their own. */
export const ALONE: BatchKeys = { alone: [''], shared: [] }

type Perform<Call, Result> = LaneOptions<Call, Result>['perform']

export class Verbs {
  readonly #options: VerbsOptions
  readonly #lanes: Lane<never, unknown>[] = []
  readonly #connections: Connection[] = []
  ticketLanes = 0

  constructor(options: VerbsOptions) {
    this.#options = options
  }

  write<Call, Result>(options: VerbOptions<Call, Result>): (call: Call) => Promise<Result> {
    return this.#verb(options, this.#withTicket(options, this.ticketLanes++))
  }

  /** Returns a verb that only reads. */
  read<Call, Result>(options: VerbOptions<Call, Result>): (call: Call) => Promise<Result> {
    const { name } = options
    const statement = { name, text: `SELECT ${name}($1) AS result` }
    return this.#verb(options, async (connection, calls) => {
      const rows = await connection.run<{ result: Result[] }>(statement, [JSON.stringify(calls)])
      return rows[0]?.result ?? []
    })
  }

  /** False while a lane gets no answer from the database. */
  isReady(): boolean {
    return !this.#lanes.some((lane) => lane.isAway)
  }

  /** Rejects the callers that waited too long; see {@link Lane.giveUp}. */
  giveUp(patienceMs?: number): void {
    for (const lane of this.#lanes) lane.giveUp(patienceMs)
  }

  /** Refuses new calls, performs the queued ones, and closes the connections. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()))
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  #connect(purpose: string): Connection {
    const connection = this.#options.connect(purpose)
    this.#connections.push(connection)
    return connection
  }

  /**
   * Creates a verb with one lane. A second lane would halve the batches, and each batch costs as much as the work for
   * some calls.
   */
  #verb<Call, Result>(
    { name, keysOf, patienceMs = PATIENCE_MS, onLate }: VerbOptions<Call, Result>,
    perform: Perform<Call, Result>,
  ): (call: Call) => Promise<Result> {
    const { nodeId, onTry, onAway } = this.#options
    const lane = new Lane<Call, Result>({
      connection: this.#connect(name),
      perform,
      keysOf,
      patienceMs,
      nodeId,
      ...(onLate && { onLate }),
      ...(onTry && { onTry }),
      ...(onAway && { onAway }),
    })
    this.#lanes.push(lane as unknown as Lane<never, unknown>)
    return (call) => lane.call(call)
  }

  #withTicket<Call, Result>(
    { name, completedBy = '' }: Pick<VerbOptions<Call, Result>, 'name' | 'completedBy'>,
    lane: number,
  ): Perform<Call, Result> {
    const { onCommit, onWritten } = this.#options
    const text = `SELECT ${completedBy}(with_ticket($1, $2, $3, $4, $5)) AS result, wrote_changes() AS wrote`
    const statement = { name: 'with_ticket', text }
    return async (connection, calls, { nodeId, no }) => {
      const values = [name, nodeId, lane, no, JSON.stringify(calls)]
      const beganMs = performance.now()
      const [row] = await connection.run<{ result: Result[]; wrote: boolean }>(statement, values)
      onWritten?.(performance.now() - beganMs)
      if (row?.wrote) onCommit?.()
      return row?.result ?? []
    }
  }
}
