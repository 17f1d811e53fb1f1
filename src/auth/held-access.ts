/**
 * Tracks the holders: everything that uses the access of a client beyond the check of a request. Ends holders together
 * with their access. Listens to one event and has one timer. Knows no transport and no HTTP.
 */
import type { Log } from '../process/log.ts'
import type { AccessChange, AccessControl } from './access.ts'
import { EndTimes, type TimedEntry } from './end-times.ts'
import type { AccessCause, Grant } from './grant.ts'
import type { Held, HoldAccess } from './held.ts'

export const HOLDER_KINDS = ['wait', 'stream', 'import', 'connection', 'session'] as const
export type HolderKind = (typeof HOLDER_KINDS)[number]

export interface Holder {
  readonly kind: HolderKind
  /** Ends the holder. Called once, in the turn of the change. */
  end(cause: AccessCause): void
  /** Returns whether the client has the right that the holder needs. Default: every valid grant has it. */
  may?(): boolean
  /** Called when the devices that the client may act for have changed and the holder may continue. */
  rightsChanged?(): void
}

export interface HeldAccessOptions {
  readonly access: Pick<AccessControl, 'isCurrent' | 'onChange'>
  readonly log: Pick<Log, 'error'>
  readonly now?: () => number
  /** Calls a function once after a delay. Returns a function that cancels the call. Default: a timer of Node. */
  readonly after?: (delayMs: number, run: () => void) => () => void
}

/** Maximum time between two checks of the clock, in milliseconds, in case someone sets the clock forward. */
const MAX_TIMER_MS = 60_000

export class HeldAccess {
  readonly #options: HeldAccessOptions
  readonly #now: () => number
  readonly #after: NonNullable<HeldAccessOptions['after']>
  readonly #byClient = new Map<number, Set<Entry>>()
  readonly #ends = new EndTimes<Entry>()
  readonly #unsubscribe: () => void
  #cancelTimer: () => void = () => {}
  /** Delay for which the timer is set. */
  #timerMs = Number.POSITIVE_INFINITY

  constructor(options: HeldAccessOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#after = options.after ?? afterDelay
    this.#unsubscribe = options.access.onChange((change) => this.#changed(change))
  }

  /**
   * Registers a holder until it is released. A holder whose grant has already ended ends before this method returns: a
   * login proves its credential before it registers a holder.
   */
  hold(grant: Grant, holder: Holder): Held {
    const { clientId, endsAtMs, unrestricted } = grant
    const entry = new Entry(this, grant, holder)
    if (unrestricted || clientId === null) return entry
    const entries = this.#byClient.get(clientId)
    if (entries) entries.add(entry)
    else this.#byClient.set(clientId, new Set([entry]))
    if (endsAtMs !== null) this.#ends.add(entry)
    if (!entry.holds())
      this.#end(entry, endsAtMs !== null && endsAtMs <= this.#now() ? 'expired' : 'client-changed')
    else if (endsAtMs !== null) this.#setTimer()
    return entry
  }

  /** Returns a function that registers holders of a grant. @param may see {@link Holder.may} */
  by(grant: Grant, kind: HolderKind, may?: () => boolean): HoldAccess {
    return (end, rightsChanged) =>
      this.hold(grant, { kind, end, ...(may && { may }), ...(rightsChanged && { rightsChanged }) })
  }

  /**
   * Returns the number of holders that a change would end now, by kind in the plural. Excludes holders that end because
   * they lose a device.
   *
   * @param keyId the key that is removed
   */
  ending(clientId: number, cause: AccessCause, keyId?: number): Readonly<Record<string, number>> {
    const counts = new Map<string, number>()
    for (const { grant, holder } of this.#byClient.get(clientId) ?? []) {
      if (survives(grant, cause, keyId)) continue
      const kinds = `${holder.kind}s`
      counts.set(kinds, (counts.get(kinds) ?? 0) + 1)
    }
    return Object.fromEntries(counts)
  }

  close(): void {
    this.#unsubscribe()
    this.#cancelTimer()
  }

  isCurrent(grant: Grant): boolean {
    return this.#options.access.isCurrent(grant)
  }

  forget(entry: Entry): void {
    const { clientId, endsAtMs, unrestricted } = entry.grant
    if (unrestricted || clientId === null) return
    const entries = this.#byClient.get(clientId)
    entries?.delete(entry)
    if (entries?.size === 0) this.#byClient.delete(clientId)
    if (endsAtMs !== null) this.#ends.remove(entry)
  }

  #changed({ clientId, cause }: AccessChange): void {
    for (const entry of [...(this.#byClient.get(clientId) ?? [])]) {
      if (!entry.holds()) this.#end(entry, cause)
      else if (cause === 'rights-changed') this.#safely(() => entry.holder.rightsChanged?.())
    }
  }

  #end(entry: Entry, cause: AccessCause): void {
    if (!entry.isHeld) return
    entry.release()
    this.#safely(() => entry.holder.end(cause))
  }

  /** Runs a task for one holder. An error of the task must not affect other holders. */
  #safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.log.error({ err: error }, 'unexpected error')
    }
  }

  /** Sets the timer to the earliest end. A later end needs no change, because the timer checks again. */
  #setTimer(): void {
    const first = this.#ends.first
    if (!first) return
    const atMs = Math.min(first.endsAtMs, this.#now() + MAX_TIMER_MS)
    if (this.#timerMs <= atMs) return
    this.#cancelTimer()
    this.#timerMs = atMs
    this.#cancelTimer = this.#after(Math.max(0, atMs - this.#now()), () => this.#endExpired())
  }

  #endExpired(): void {
    this.#timerMs = Number.POSITIVE_INFINITY
    const nowMs = this.#now()
    for (let first = this.#ends.first; first && first.endsAtMs <= nowMs; first = this.#ends.first) {
      this.#end(first, 'expired')
    }
    this.#setTimer()
  }
}

class Entry implements TimedEntry, Held {
  heapIndex = 0
  isHeld = true
  readonly grant: Grant
  readonly holder: Holder
  readonly #held: HeldAccess

  constructor(held: HeldAccess, grant: Grant, holder: Holder) {
    this.#held = held
    this.grant = grant
    this.holder = holder
  }

  get endsAtMs(): number {
    return this.grant.endsAtMs ?? Number.POSITIVE_INFINITY
  }

  holds(): boolean {
    return this.isHeld && this.#held.isCurrent(this.grant) && (this.holder.may?.() ?? true)
  }

  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.#held.forget(this)
  }
}

/** Returns whether a grant survives a change of its client. */
function survives(grant: Grant, cause: AccessCause, keyId?: number): boolean {
  switch (cause) {
    case 'rights-changed':
      return true
    case 'password-changed':
      return grant.keyId !== undefined
    case 'key-removed':
      return grant.keyId !== keyId
    case 'client-removed':
    case 'client-changed':
    case 'expired':
      return false
  }
}

function afterDelay(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref()
  return () => clearTimeout(timer)
}
