/** The leases of devices in SQLite. Only this process holds leases, so a claim looks at the queues in memory. */
import type { Database, Statement } from 'better-sqlite3'
import type { Clock } from '../../broker/clock.ts'
import { type DispatchedMessage, type PendingMessage, toDispatchedMessage } from '../../broker/message.ts'
import type {
  Claim,
  DeviceLease,
  EndedAttempt,
  LineState,
  Soon,
  StoreOptions,
  Transitioned,
} from '../../broker/store.ts'
import type { Queues } from './queues.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'
import type { Transitions } from './transitions.ts'
import type { Writer } from './writer.ts'

interface Parts {
  readonly writer: Writer
  readonly queues: Queues
  readonly clock: Clock
  readonly transitions: Transitions
  /** Reads the oldest pending message of a device. */
  readonly head: (deviceId: string) => PendingMessage | null
  /** Removes a NO message that is DELIVERED now. */
  readonly sent: (deviceId: string, messageId: number) => Transitioned
}

/** One call of a lease's `claim`. */
interface ClaimRequest {
  readonly deviceId: string
  readonly transport: string
  readonly ended: EndedAttempt | null
  readonly paced: boolean
}

const EMPTY: Claim = { is: 'empty' }
const LOST: Claim = { is: 'lost' }

export class Dispatches {
  readonly #parts: Parts
  readonly #options: StoreOptions
  /** The latest lease of each device. */
  readonly #leases = new Map<string, DeviceLease>()
  readonly #dispatchedAtMs: Statement<[deviceId: string], number>
  readonly #attempt: WriteStatement
  readonly #onlyAttempt: WriteStatement
  readonly #dispatched: WriteStatement
  readonly #missed: WriteStatement
  readonly #attemptMissed: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts, options: StoreOptions) {
    const { writer } = parts
    this.#parts = parts
    this.#options = options
    this.#dispatchedAtMs = db
      .prepare<[string], number>('SELECT dispatched_at_ms FROM devices WHERE device_id = ?')
      .pluck()
    this.#attempt = writer.prepare(
      // Not INSERT ... SELECT FROM attempts: SQLite would fill a table with the row first.
      `INSERT INTO attempts (message_id, at_ms, number, transport)
       VALUES (?, ?, (SELECT count(*) + 1 FROM attempts WHERE message_id = ?), ?)`,
    )
    // Runs behind the transition of a NO message, and inserts nothing when that changed nothing.
    this.#onlyAttempt = writer.prepare(
      `INSERT INTO attempts (message_id, at_ms, number, transport) SELECT ?, ?, 1, ? WHERE changes() > 0`,
    )
    this.#dispatched = writer.prepare(
      `INSERT INTO devices (device_id, dispatched_at_ms) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET dispatched_at_ms = excluded.dispatched_at_ms`,
    )
    this.#missed = writer.prepare(
      `UPDATE messages SET delivered_error = 1 WHERE id = ? AND status = 'NOT_DELIVERED'`,
    )
    this.#attemptMissed = writer.prepare(
      `UPDATE attempts SET outcome = 'TIMEOUT'
       WHERE message_id = ? AND number = (SELECT max(number) FROM attempts WHERE message_id = ?)`,
    )
  }

  attach(deviceId: string, transport: string): DeviceLease {
    const isHeld = (): boolean => this.#leases.get(deviceId) === lease
    const lease: DeviceLease = {
      state: this.#state(deviceId),
      claim: (ended, paced) => (isHeld() ? this.#claim({ deviceId, transport, ended, paced }) : LOST),
      release: () => {
        if (isHeld()) this.#leases.delete(deviceId)
      },
    }
    this.#leases.set(deviceId, lease)
    return lease
  }

  #state(deviceId: string): LineState {
    const { writer, queues, clock } = this.#parts
    const attempt = queues.attempt(deviceId)
    const runs = attempt !== null && attempt.untilMs > clock.monotonicMs()
    const atMs = writer.read(() => this.#dispatchedAtMs.get(deviceId))
    return {
      // The clock may have been set back since: no time has passed then, as far as is known.
      sinceDispatchMs: atMs === undefined ? null : Math.max(0, clock.wallMs() - atMs),
      inFlightId: runs ? attempt.messageId : null,
    }
  }

  #claim(request: ClaimRequest): Soon<Claim> {
    const { deviceId, ended } = request
    const { queues, clock, head } = this.#parts
    if (ended) queues.endAttempt(deviceId, ended.messageId)
    const running = queues.attempt(deviceId)
    const nowMs = clock.monotonicMs()
    if (running && running.untilMs > nowMs) return { is: 'inFlight', forMs: running.untilMs - nowMs }
    const message = head(deviceId)
    if (message === null) return EMPTY
    return message.guarantee === 'NO'
      ? this.#claimOnce(request, message)
      : this.#claimRepeatedly(request, message, nowMs)
  }

  #claimRepeatedly(request: ClaimRequest, message: PendingMessage, nowMs: number): Claim {
    const { deviceId, transport, ended, paced } = request
    const { queues, writer } = this.#parts
    const { id } = message
    const dispatched = this.#now(message)
    queues.markDispatched(deviceId, id)
    queues.beginAttempt(deviceId, { messageId: id, untilMs: nowMs + this.#options.attemptMs })
    const attempt: WriteOp = [this.#attempt, id, dispatched.atMs, id, transport]
    const batch = ended ? [...this.#ended(deviceId, ended), attempt] : [attempt]
    if (paced) batch.push([this.#dispatched, deviceId, dispatched.atMs])
    const recorded = writer.write(batch).then(undefined, (error: unknown) => {
      queues.endAttempt(deviceId, id)
      throw error
    })
    return { is: 'message', message: dispatched, recorded, transition: null }
  }

  async #claimOnce(request: ClaimRequest, message: PendingMessage): Promise<Claim> {
    const { deviceId, transport, ended, paced } = request
    const { queues, writer, transitions, sent } = this.#parts
    const { id } = message
    const dispatched = this.#now(message)
    queues.beginSettling(deviceId, id)
    const batch = this.#ended(deviceId, ended)
    const at = batch.push(transitions.send(id, dispatched.atMs)) - 1
    batch.push([this.#onlyAttempt, id, dispatched.atMs, transport])
    if (paced) batch.push([this.#dispatched, deviceId, dispatched.atMs])
    let changes: readonly number[]
    try {
      changes = await writer.write(batch)
    } finally {
      queues.endSettling(id)
    }
    // Another message superseded it meanwhile.
    if (changes[at] === 0) return this.#claim({ ...request, ended: null })
    return { is: 'message', message: dispatched, recorded: null, transition: sent(deviceId, id) }
  }

  #now(message: PendingMessage): DispatchedMessage {
    return toDispatchedMessage(message, this.#parts.clock.wallMs())
  }

  /** Returns the statements that note a missed acknowledgement of a message that is still pending. */
  #ended(deviceId: string, ended: EndedAttempt | null): WriteOp[] {
    if (ended?.outcome !== 'TIMEOUT' || !this.#parts.queues.has(deviceId, ended.messageId)) return []
    const { messageId } = ended
    return [
      [this.#missed, messageId],
      [this.#attemptMissed, messageId, messageId],
    ]
  }
}
