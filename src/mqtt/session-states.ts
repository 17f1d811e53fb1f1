/**
 * Keeps the state of each MQTT session: its queue, the identifiers of QoS 2 messages, the size of its subscriptions.
 * Bounds the memory of all sessions. Knows no connection.
 */
import type { AedesPublishPacket } from 'aedes'
import type { Held, HoldAccess } from '../auth/held.ts'

export const SESSION_LIMITS = {
  /** Maximum bytes of the queued messages of one session. Further messages are dropped. */
  queueBytes: 1_048_576,
  /** Maximum bytes of the sessions of one client: queues and subscriptions. */
  clientBytes: 16_777_216,
  bytes: 134_217_728,
  /** Maximum sessions of one client without a connection. Beyond it, the longest disconnected session ends. */
  perClient: 1_000,
  /** Time without a connection after which a session ends. */
  expirySec: 604_800,
  /** Maximum QoS 2 messages of one session that the client has not released by PUBREL. */
  unreleased: 1_000,
} as const

/** Estimated bytes of an entry in memory, without its texts and its payload. */
const ENTRY_BYTES = 256

/**
 * State of a QoS 2 message from the client between PUBLISH and PUBREL. The payload is not needed to detect a duplicate.
 */
export interface UnreleasedMessage {
  /** Result of a message for the broker; null for any other topic. */
  result: Promise<unknown> | null
  isForwarded: boolean
}

export interface SessionState {
  readonly id: string
  readonly owner: string
  /** Access of the client that last opened the session. The session ends with it. */
  held: Held | null
  /** Time when the last connection ended, in milliseconds since 1970; null while connected. */
  leftAtMs: number | null
  readonly queue: AedesPublishPacket[]
  queueBytes: number
  /** Accounted bytes of the session. */
  bytes: number
  /** Topic filters that outlive the connection. */
  readonly filters: Set<string>
  readonly unreleased: Map<number, UnreleasedMessage>
}

interface Owner {
  bytes: number
  /** Sessions without a connection, longest disconnected first. */
  readonly left: Set<SessionState>
}

export interface SessionStatesOptions {
  /** Called for a session that exceeds a limit or has expired. It calls {@link SessionStates.delete}. */
  readonly end: (sessionId: string) => void
  /** Called for a session whose client has lost its access. It calls {@link SessionStates.delete}. */
  readonly accessEnded: (sessionId: string) => void
  readonly limited: (limit: 'sessions' | 'queue', state: SessionState) => void
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

export class SessionStates {
  readonly #options: SessionStatesOptions
  readonly #states = new Map<string, SessionState>()
  readonly #owners = new Map<string, Owner>()
  /** Sessions of all clients without a connection, longest disconnected first. */
  readonly #left = new Set<SessionState>()
  #bytes = 0

  constructor(options: SessionStatesOptions) {
    this.#options = options
  }

  get(sessionId: string): SessionState | undefined {
    return this.#states.get(sessionId)
  }

  /**
   * Opens or resumes a session for a connection. @param hold registers the session as a holder of its client's access
   */
  open(sessionId: string, ownerId: string, hold: HoldAccess): void {
    const known = this.#states.get(sessionId)
    if (known) this.#setLeft(known, null)
    const state = known ?? {
      id: sessionId,
      owner: ownerId,
      held: null,
      leftAtMs: null,
      queue: [],
      queueBytes: 0,
      bytes: 0,
      filters: new Set(),
      unreleased: new Map(),
    }
    this.#states.set(sessionId, state)
    state.held?.release()
    state.held = hold(() => this.#options.accessEnded(sessionId))
  }

  /** Keeps a session whose connection has ended, and ends the sessions beyond a limit. */
  leave(sessionId: string): void {
    const state = this.#states.get(sessionId)
    if (!state) return
    this.#setLeft(state, this.#options.now())
    const owner = this.#ownerOf(state)
    while (owner.left.size > SESSION_LIMITS.perClient || owner.bytes > SESSION_LIMITS.clientBytes) {
      if (!this.#endFirst(owner.left)) break
    }
    while (this.#bytes > SESSION_LIMITS.bytes && this.#endFirst(this.#left));
  }

  /** Ends the sessions whose expiry time has passed. */
  expire(): void {
    const limitMs = this.#options.now() - SESSION_LIMITS.expirySec * 1_000
    for (const { id, leftAtMs } of this.#left) {
      if ((leftAtMs as number) > limitMs) return
      this.#options.end(id)
    }
  }

  delete(sessionId: string): void {
    const state = this.#states.get(sessionId)
    if (!state) return
    this.#setLeft(state, null)
    this.#charge(state, -state.bytes)
    state.held?.release()
    this.#states.delete(sessionId)
  }

  addFilter(state: SessionState, filter: string): void {
    if (state.filters.has(filter)) return
    state.filters.add(filter)
    this.#charge(state, filter.length + ENTRY_BYTES)
  }

  removeFilter(state: SessionState, filter: string): void {
    if (state.filters.delete(filter)) this.#charge(state, -filter.length - ENTRY_BYTES)
  }

  /**
   * Returns the state of a QoS 2 message, which is new unless the client sent the message before; null when the limit
   * is hit.
   */
  receive(state: SessionState, messageId: number): UnreleasedMessage | null {
    const known = state.unreleased.get(messageId)
    if (known) return known
    if (state.unreleased.size >= SESSION_LIMITS.unreleased) return null
    const message: UnreleasedMessage = { result: null, isForwarded: false }
    state.unreleased.set(messageId, message)
    this.#charge(state, ENTRY_BYTES)
    return message
  }

  /** Removes a QoS 2 message, so that its identifier can be used again. */
  release(state: SessionState, messageId: number): void {
    if (state.unreleased.delete(messageId)) this.#charge(state, -ENTRY_BYTES)
  }

  /** Adds to the accounted bytes of a session; a negative number subtracts. */
  #charge(state: SessionState, bytes: number): void {
    const owner = this.#ownerOf(state)
    state.bytes += bytes
    owner.bytes += bytes
    this.#bytes += bytes
    if (owner.bytes === 0 && owner.left.size === 0) this.#owners.delete(state.owner)
  }

  /** Queues a message; drops it if a limit forbids it. */
  enqueue(state: SessionState, packet: AedesPublishPacket): void {
    const bytes = bytesOf(packet)
    if (
      state.queueBytes + bytes > SESSION_LIMITS.queueBytes ||
      this.#ownerOf(state).bytes + bytes > SESSION_LIMITS.clientBytes ||
      this.#bytes + bytes > SESSION_LIMITS.bytes
    ) {
      this.#options.limited('queue', state)
      return
    }
    state.queueBytes += bytes
    this.#charge(state, bytes)
    // RETAIN is set only in messages that a new subscription receives [MQTT-3.3.1-9].
    state.queue.push({ ...packet, retain: false, messageId: undefined })
  }

  dequeue(state: SessionState, at: number): AedesPublishPacket | undefined {
    const [packet] = at < 0 ? [] : state.queue.splice(at, 1)
    if (!packet) return undefined
    const bytes = bytesOf(packet)
    state.queueBytes -= bytes
    this.#charge(state, -bytes)
    return packet
  }

  #endFirst(left: ReadonlySet<SessionState>): boolean {
    const [first] = left
    if (!first) return false
    this.#options.limited('sessions', first)
    this.#options.end(first.id)
    return true
  }

  #setLeft(state: SessionState, leftAtMs: number | null): void {
    const owner = this.#ownerOf(state)
    state.leftAtMs = leftAtMs
    for (const left of [owner.left, this.#left]) {
      left.delete(state)
      if (leftAtMs !== null) left.add(state)
    }
    this.#charge(state, 0)
  }

  #ownerOf({ owner }: SessionState): Owner {
    const known = this.#owners.get(owner)
    if (known) return known
    const created: Owner = { bytes: 0, left: new Set() }
    this.#owners.set(owner, created)
    return created
  }
}

export function bytesOf({ topic, payload }: Pick<AedesPublishPacket, 'topic' | 'payload'>): number {
  return topic.length + payload.length + ENTRY_BYTES
}
