/**
 * This process as one of the nodes that share the database: its number, its lease, and the clean-up after dead nodes.
 * The lease is measured by the monotonic clock of the process, from before the call that extends it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../database/connection.ts'
import { kindOf, storageAway } from '../database/faults.ts'
import { BARRIER, type Journal } from './journal.ts'
import { Peers, type SeenNode } from './peers.ts'

export interface NodeTimes {
  readonly leaseMs: number
  readonly beatMs: number
  /** Time without a beat after which another node removes this node, in milliseconds. */
  readonly deadMs: number
  /** Period of the journal reads, in milliseconds. */
  readonly readMs: number
}

export const NODE_TIMES: NodeTimes = { leaseMs: 10_000, beatMs: 2_500, deadMs: 60_000, readMs: 400 }

export interface NodeOptions extends Omit<NodeTimes, 'readMs'> {
  /** Separate connection, so that a beat waits for no other call. */
  readonly connection: Connection
  readonly journal: Pick<Journal, 'position' | 'isBehind' | 'start'>
  /** Called after a commit that other nodes wait for. */
  readonly onCommit?: () => void
  /** Called with the error of a failed beat or clean-up step. The node retries it. */
  readonly onError?: (error: unknown) => void
  readonly nowMs?: () => number
}

interface Registration {
  readonly id: number
  /** False if the journal may have lost changes that this process has not read. */
  readonly isKept: boolean
  readonly tail: string
  /** Time of the database. */
  readonly nowMs: number
}

/** Pause between two attempts to register again, and between two checks of a barrier, in milliseconds. */
const RETRY_MS = 500
const LOOK_MS = 20
/** Steps per clean-up; 2,000 device lines each. */
const REAP_STEPS = 50
/** Maximum time for the clean-up of this node at its end, in milliseconds. */
const LEAVE_MS = 2_000
const SEEN = 'node_id AS id, beats, stopped AS "isStopped"'

export class Node {
  readonly #options: NodeOptions
  readonly #now: () => number
  readonly #peers: Peers
  readonly #lapseListeners = new Set<() => void>()
  readonly #goneListeners = new Set<() => void>()
  /** Numbers of this process, the current one last. */
  readonly #ids: number[] = []
  #lanes = 0
  #leaseUntilMs = Number.NEGATIVE_INFINITY
  #beatTimer: NodeJS.Timeout | null = null
  #leaseTimer: NodeJS.Timeout | null = null
  #beating: Promise<void> | null = null
  #nextBeat: Promise<void> | null = null
  #renewing: Promise<void> | null = null
  #isClosed = false

  constructor(options: NodeOptions) {
    this.#options = options
    this.#now = options.nowMs ?? (() => performance.now())
    this.#peers = new Peers({ ...options, nowMs: this.#now })
  }

  /** Number of the node, unique among all processes that ever ran. 0 before the registration. */
  get id(): number {
    return this.#ids.at(-1) ?? 0
  }

  /** All numbers of this process, past and present. */
  get ids(): readonly number[] {
    return this.#ids
  }

  /** Number of live other nodes, by the latest beat. */
  get others(): number {
    return this.#peers.living
  }

  /**
   * Numbers of the other nodes whose lease has lapsed, by the latest beat. No step of a wall clock ends or extends a
   * lease.
   */
  get silent(): readonly number[] {
    return this.#peers.silent
  }

  /** Returns whether the lease currently holds, even just after the process was paused. */
  isLive(): boolean {
    return this.#now() < this.#leaseUntilMs
  }

  /** Calls the listener when the lease has lapsed, before the process registers again. */
  onLapse(listener: () => void): () => void {
    this.#lapseListeners.add(listener)
    return () => this.#lapseListeners.delete(listener)
  }

  /** Calls the listener when another live node has stopped, or its lease has lapsed. */
  onGone(listener: () => void): () => void {
    this.#goneListeners.add(listener)
    return () => this.#goneListeners.delete(listener)
  }

  /**
   * Registers the process as a new node, and extends its lease from then on. @param lanes number of lanes with tickets
   */
  async register(lanes: number): Promise<void> {
    this.#lanes = lanes
    await this.#register()
    await this.beat()
    this.#beatTimer = setInterval(() => void this.beat(), this.#options.beatMs)
    this.#beatTimer.unref()
  }

  /**
   * Shows the others that this node lives and which changes it has handled. Resolves after a beat that began after the
   * call.
   */
  beat(): Promise<void> {
    this.#nextBeat ??= this.#beatNext()
    return this.#nextBeat
  }

  /**
   * Resolves when each other node has handled all changes that were committed before the call, or its lease has lapsed.
   *
   * @throws {BrokerError} storage-away when the database does not answer for the duration of two leases
   */
  async barrier(): Promise<void> {
    const { leaseMs } = this.#options
    const untilMs = this.#now() + 2 * leaseMs
    let xid: string | null = null
    for (;;) {
      try {
        xid ??= await this.#beginBarrier()
        if (await this.#isPassed(xid)) return
        await pause(LOOK_MS)
      } catch (error) {
        if (kindOf(error) !== 'unknown' || this.#isClosed || this.#now() > untilMs) throw storageAway(error)
        await pause(RETRY_MS)
      }
    }
  }

  /** Ends the lease and removes the node from the table. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#leaseUntilMs = Number.NEGATIVE_INFINITY
    if (this.#beatTimer) clearInterval(this.#beatTimer)
    if (this.#leaseTimer) clearTimeout(this.#leaseTimer)
    await Promise.race([this.#leave(), pause(LEAVE_MS, undefined, { ref: false })])
  }

  async #leave(): Promise<void> {
    await Promise.all([this.#beating, this.#renewing])
    try {
      await this.#options.connection.run('UPDATE nodes SET stopped = true WHERE node_id = ANY($1)', [
        this.#ids,
      ])
      for (const id of this.#ids) await this.#reap({ id, beats: 0, isStopped: true })
    } catch {
      // Another node removes this node.
    }
  }

  async #register(): Promise<void> {
    const { connection, journal } = this.#options
    const sentMs = this.#now()
    const former = this.#ids.at(-1) ?? null
    const tail = former === null || journal.isBehind ? null : journal.position
    const rows = await connection.run<{ node: Registration }>('SELECT register_node($1, $2, $3) AS node', [
      this.#lanes,
      tail === null ? null : former,
      tail,
    ])
    const node = rows[0]?.node as Registration
    this.#ids.push(node.id)
    this.#extend(sentMs)
    if (!node.isKept) journal.start(node.tail, node.nowMs)
  }

  #extend(sentMs: number): void {
    this.#leaseUntilMs = sentMs + this.#options.leaseMs
    if (this.#leaseTimer) clearTimeout(this.#leaseTimer)
    this.#leaseTimer = setTimeout(() => this.#check(), Math.max(0, this.#leaseUntilMs - this.#now()))
    this.#leaseTimer.unref()
  }

  /** Ends the lease when its time is over. */
  #check(): void {
    if (!this.#isClosed && !this.isLive()) this.#lapse()
  }

  async #beatNext(): Promise<void> {
    await this.#beating
    this.#nextBeat = null
    this.#beating = this.#beat()
    await this.#beating
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    this.#check()
    if (this.#isClosed || this.#renewing) return
    const { connection, journal } = this.#options
    const { id } = this
    const sentMs = this.#now()
    try {
      const text = `SELECT ${SEEN} FROM beat($1, $2)`
      const nodes = await connection.run<SeenNode>({ name: 'beat', text }, [id, journal.position])
      if (!nodes.some((node) => node.id === id) || journal.isBehind) return this.#lapse()
      // A lease that lapsed during the call stays lapsed.
      if (this.isLive()) this.#extend(sentMs)
      this.#observe(nodes, sentMs)
      for (const node of this.#peers.dead()) await this.#reap(node)
    } catch (error) {
      if (!this.#isClosed) this.#options.onError?.(error)
    }
  }

  #lapse(): void {
    this.#leaseUntilMs = Number.NEGATIVE_INFINITY
    if (this.#renewing || this.#isClosed) return
    for (const listener of this.#lapseListeners) listener()
    this.#renewing = this.#renew().finally(() => {
      this.#renewing = null
    })
  }

  async #renew(): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#register()
      } catch (error) {
        this.#options.onError?.(error)
        await pause(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  #observe(nodes: readonly SeenNode[], askedMs: number): void {
    // A former number of this process is a dead node like any other.
    const others = nodes.filter(({ id }) => id !== this.id)
    if (!this.#peers.observe(others, askedMs)) return
    for (const listener of this.#goneListeners) listener()
  }

  async #reap({ id, beats }: SeenNode): Promise<void> {
    for (let step = 0; step < REAP_STEPS; step++) {
      const statement = 'SELECT reap($1, $2) AS more'
      const [row] = await this.#options.connection.run<{ more: boolean }>(statement, [id, beats])
      if (!row?.more) return
    }
  }

  /** Writes a change that each other node confirms by a beat. Returns the number of the transaction. */
  async #beginBarrier(): Promise<string> {
    const text = "INSERT INTO changes (origin, kind, subject) VALUES ($1, $2, '') RETURNING xid::text AS xid"
    const [row] = await this.#options.connection.run<{ xid: string }>(text, [this.id, BARRIER])
    this.#options.onCommit?.()
    return row?.xid as string
  }

  async #isPassed(xid: string): Promise<boolean> {
    const text = `SELECT ${SEEN}, pg_visible_in_snapshot($1::xid8, tail) AS "isPassed" FROM nodes`
    type Row = SeenNode & { readonly isPassed: boolean }
    const askedMs = this.#now()
    const nodes = await this.#options.connection.run<Row>({ name: 'barrier', text }, [xid])
    this.#observe(nodes, askedMs)
    return nodes.every(({ id, isPassed }) => isPassed || this.#ids.includes(id) || this.#peers.isOver(id))
  }
}
