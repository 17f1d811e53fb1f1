/** Writes refused logins into the audit trail, at a bounded rate. Knows no transport and no storage. */
import type { LoggedRejection } from '../broker/engine/rejection-lines.ts'
import type { Log } from '../process/log.ts'
import { entryOf } from './actor.ts'
import type { AuditEntry, AuditStore } from './audit.ts'

/** Reasons of a refused login or key. The other reasons concern messages, connections, and tokens, which expire. */
const REASONS: readonly LoggedRejection['reason'][] = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'ROLE_NOT_ALLOWED',
  'TOO_MANY_FAILURES',
  'TOO_MANY_LOGINS',
  'WRONG_KEY',
]

/** Owner of a name: a client with role MAN or READER, another client, or no client. */
export type NameOwner = 'person' | 'device' | 'none'

/**
 * Maximum lines per minute, including the lines of the kinds before it, so that a flood of other names leaves room for
 * people.
 */
export const REFUSED_LINES: Readonly<Record<NameOwner, number>> = { none: 60, device: 80, person: 100 }
/** Maximum lines per minute of one network, including the lines of the kinds before it. Names of people are exempt. */
export const NETWORK_LINES: Readonly<Record<NameOwner, number>> = {
  none: 20,
  device: 40,
  person: Number.POSITIVE_INFINITY,
}
/** Maximum networks, and names, that a summary distinguishes, which bounds its memory. */
const COUNTED = 1_000
const MINUTE_MS = 60_000

class Minute {
  readonly beganMs: number
  /** Names and networks with a line. */
  readonly written = new Set<string>()
  readonly #linesOf = new Map<string, number>()

  constructor(beganMs: number) {
    this.beganMs = beganMs
  }

  /** Takes a line from the quota. Returns false if none is left. */
  take(owner: NameOwner, network: string, key: string): boolean {
    const ofNetwork = this.#linesOf.get(network) ?? 0
    if (this.written.size >= REFUSED_LINES[owner]) return false
    if (ofNetwork >= NETWORK_LINES[owner]) return false
    this.written.add(key)
    this.#linesOf.set(network, ofNetwork + 1)
    return true
  }
}

class Unwritten {
  #more = 0
  readonly #networks = new Set<string>()
  readonly #names = new Set<string>()

  add(network: string, name: string | null): void {
    this.#more++
    addBounded(this.#networks, [network])
    if (name !== null) addBounded(this.#names, [name])
  }

  addAll(other: Unwritten): void {
    this.#more += other.#more
    addBounded(this.#networks, other.#networks)
    addBounded(this.#names, other.#names)
  }

  get detail() {
    return { more: this.#more, networks: this.#networks.size, names: this.#names.size }
  }
}

function addBounded(set: Set<string>, values: Iterable<string>): void {
  for (const value of values) if (set.size < COUNTED) set.add(value)
}

export interface RefusedLoginsOptions {
  readonly audit: Pick<AuditStore, 'add'>
  readonly ownerOf: (name: string) => NameOwner
  readonly log: Pick<Log, 'debug'>
  readonly monotonicMs: () => number
  /** Returns the network of an address, which counts as one client. */
  readonly networkOf: (address: string) => string
}

/**
 * Summarizes many refused logins in one line, so that a flood fills neither the trail nor the disk, and hides no
 * person.
 */
export class RefusedLogins {
  readonly #options: RefusedLoginsOptions
  #minute = new Minute(Number.NEGATIVE_INFINITY)
  #unwritten = new Unwritten()
  /** Timer of the summary; null while each refused login has a line. */
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(options: RefusedLoginsOptions) {
    this.#options = options
  }

  /**
   * Adds a line for a refused login, or counts it for the summary of its minute. Equal logins share a line. The given
   * name is the object and not the client, because the login has proved nothing. Never rejects.
   */
  async record({ reason, deviceId: name, address, transport }: LoggedRejection): Promise<void> {
    if (!REASONS.includes(reason)) return
    const minute = this.#presentMinute()
    const network = this.#options.networkOf(address)
    const key = JSON.stringify([name, network])
    if (minute.written.has(key)) return
    const owner = name === null ? 'none' : this.#options.ownerOf(name)
    const isWritten =
      minute.take(owner, network, key) && (await this.#add(address, name, { reason, transport }))
    if (isWritten) return
    this.#unwritten.add(network, name)
    this.#setTimer()
  }

  /** Writes a pending summary now. A summary that cannot be written becomes part of the next. Never rejects. */
  close(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer)
      this.#timer = null
      const counted = this.#unwritten
      this.#unwritten = new Unwritten()
      this.#writing = this.#writing.then(() => this.#writeSummary(counted))
    }
    return this.#writing
  }

  async #writeSummary(counted: Unwritten): Promise<void> {
    if (await this.#add(null, null, counted.detail)) return
    this.#unwritten.addAll(counted)
    this.#setTimer()
  }

  /** Returns the current minute, after writing the summary of the previous minute. */
  #presentMinute(): Minute {
    const nowMs = this.#options.monotonicMs()
    if (nowMs - this.#minute.beganMs < MINUTE_MS) return this.#minute
    void this.close()
    this.#minute = new Minute(nowMs)
    return this.#minute
  }

  /** Sets the timer of the summary. Without it the end of a flood would have no line before the next refused login. */
  #setTimer(): void {
    const endMs = this.#presentMinute().beganMs + MINUTE_MS
    this.#timer ??= setTimeout(() => void this.close(), endMs - this.#options.monotonicMs()).unref()
  }

  async #add(address: string | null, name: string | null, detail: AuditEntry['detail']): Promise<boolean> {
    const by = { clientId: null, keyId: null, address }
    try {
      await this.#options.audit.add(entryOf(by, 'login.refused', name, detail))
      return true
    } catch (error) {
      // The storage logs its own failures.
      this.#options.log.debug({ err: error }, 'a refused login could not be written into the audit trail')
      return false
    }
  }
}
