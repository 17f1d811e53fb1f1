/** Grants leases and claims in SQLite. Only this process holds leases, so a claim reads the queues in memory. */
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
  /** Removes a NO message, which is DELIVERED now, from its queue. */
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

/** Holds the latest lease of each device and writes the attempts. */
export class Dispatches {
  readonly #parts: Parts
  readonly #options: StoreOptions
  /** The latest lease of each device. */
  readonly #leases = new Map<string, DeviceLease>()
  readonly #dispatchedAtMs: Statement<[deviceId: string], number>
  readonly #insertAttempt: WriteStatement
  readonly #insertOnlyAttempt: WriteStatement
  readonly #recordDispatchTime: WriteStatement
  readonly #markTimedOut: WriteStatement
  readonly #markAttemptTimedOut: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts, options: StoreOptions) {
    const { writer } = parts
    this.#parts = parts
    this.#options = options
    this.#dispatchedAtMs = db
      .prepare<[string], number>('SELECT dispatched_at_ms FROM devices WHERE device_id = ?')
      .pluck()
    this.#insertAttempt = writer.prepare(
      // INSERT ... SELECT FROM attempts would make SQLite fill a temporary table first.
      `INSERT INTO attempts (message_id, at_ms, number, transport)
       VALUES (?, ?, (SELECT count(*) + 1 FROM attempts WHERE message_id = ?), ?)`,
    )
    // Runs behind the transition of a NO message, and inserts nothing when the transition changed nothing.
    this.#insertOnlyAttempt = writer.prepare(
      `INSERT INTO attempts (message_id, at_ms, number, transport) SELECT ?, ?, 1, ? WHERE changes() > 0`,
    )
    this.#recordDispatchTime = writer.prepare(
      `INSERT INTO devices (device_id, dispatched_at_ms) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET dispatched_at_ms = excluded.dispatched_at_ms`,
    )
    this.#markTimedOut = writer.prepare(
      `UPDATE messages SET delivered_error = 1 WHERE id = ? AND status = 'NOT_DELIVERED'`,
    )
    this.#markAttemptTimedOut = writer.prepare(
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
      // After the clock was set back, no time counts as passed.
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
    const attempt: WriteOp = [this.#insertAttempt, id, dispatched.atMs, id, transport]
    const batch = ended ? [...this.#ended(deviceId, ended), attempt] : [attempt]
    if (paced) batch.push([this.#recordDispatchTime, deviceId, dispatched.atMs])
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
    batch.push([this.#insertOnlyAttempt, id, dispatched.atMs, transport])
    if (paced) batch.push([this.#recordDispatchTime, deviceId, dispatched.atMs])
    let changes: readonly number[]
    try {
      changes = await writer.write(batch)
    } finally {
      queues.endSettling(id)
    }
    // The message was superseded meanwhile.
    if (changes[at] === 0) return this.#claim({ ...request, ended: null })
    return { is: 'message', message: dispatched, recorded: null, transition: sent(deviceId, id) }
  }

  #now(message: PendingMessage): DispatchedMessage {
    return toDispatchedMessage(message, this.#parts.clock.wallMs())
  }

  /** Returns the statements that record the timeout of an attempt, if its message is still pending. */
  #ended(deviceId: string, ended: EndedAttempt | null): WriteOp[] {
    if (ended?.outcome !== 'TIMEOUT' || !this.#parts.queues.has(deviceId, ended.messageId)) return []
    const { messageId } = ended
    return [
      [this.#markTimedOut, messageId],
      [this.#markAttemptTimedOut, messageId, messageId],
    ]
  }
}
