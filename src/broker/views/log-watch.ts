/** Watches the logs of the devices that somebody follows: finds entries that are new or have changed. Knows neither HTTP nor SQL. */
import type { AuditStore } from '../../audit/audit.ts'
import type { Log } from '../../process/log.ts'
import { Watch } from '../engine/watch.ts'
import type { LogEntry } from './device-log-entry.ts'
import type { Presence } from './presence.ts'
import type { PresenceHistory } from './presence-history.ts'

/** Entry of the log of a device that is new, or has changed: equal events of an hour are one entry, which counts them. */
export interface LoggedEntry {
  readonly deviceId: string
  readonly entry: LogEntry
}

export interface LogWatchOptions {
  readonly history: Pick<PresenceHistory, 'log' | 'nowMs'>
  /** Changes by devices and by people after which the logs are read at once. */
  readonly presence: Pick<Presence, 'onChange'>
  readonly audit: Pick<AuditStore, 'onAdded'>
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number
  /** Time for which a log is read after its last reader left, so that a reader that returns misses nothing. */
  readonly lingerMs?: number
}

const LINGER_MS = 60_000
/** Time before now that a reading covers. The end of polls is found a day later at most. */
const WINDOW_MS = 2 * 86_400_000
/** Maximum entries of a device that a reading covers, the newest ones. */
const MAX_ENTRIES = 500

/** Log of a device that somebody follows. */
interface FollowedLog {
  readonly sinceMs: number
  readers: number
  /** Counts of the entries of the latest reading, by their identity; null before the first. */
  known: ReadonlyMap<string, unknown> | null
}

export class LogWatch {
  readonly #options: LogWatchOptions
  readonly #logs = new Map<string, FollowedLog>()
  readonly #watch: Watch<LoggedEntry>

  constructor(options: LogWatchOptions) {
    const { presence, audit, log, periodMs } = options
    this.#options = options
    this.#watch = new Watch({
      begin: (read) => {
        const readIfFollowed = (deviceId: string): void => {
          if (this.#logs.has(deviceId)) read()
        }
        const ends = [
          presence.onChange(({ deviceId }) => readIfFollowed(deviceId)),
          audit.onAdded(({ object }) => readIfFollowed(object ?? '')),
        ]
        return () => {
          for (const end of ends) end()
        }
      },
      changes: () => this.#changes(),
      failure: 'the logs of devices could not be read',
      log,
      periodMs,
    })
  }

  /** Reads the logs of devices with any ids from now on. Returns a function that ends this, which works once. */
  follow(deviceIds: readonly string[]): () => void {
    const sinceMs = this.#options.history.nowMs()
    for (const deviceId of deviceIds) {
      const followed = this.#logs.get(deviceId) ?? { sinceMs, readers: 0, known: null }
      followed.readers++
      this.#logs.set(deviceId, followed)
    }
    const end = (): void => {
      for (const deviceId of deviceIds) this.#leave(deviceId)
    }
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      setTimeout(end, this.#options.lingerMs ?? LINGER_MS).unref()
    }
  }

  /** Calls the listener with each later entry of the devices that are followed. Returns a function that unsubscribes. */
  onChange(listener: (change: LoggedEntry) => void): () => void {
    return this.#watch.onChange(listener)
  }

  /** Reads the logs at once. Never rejects. */
  read(): Promise<void> {
    return this.#watch.read()
  }

  #leave(deviceId: string): void {
    const followed = this.#logs.get(deviceId)
    if (followed && --followed.readers === 0) this.#logs.delete(deviceId)
  }

  async #changes(): Promise<readonly LoggedEntry[]> {
    const readings: { followed: FollowedLog; deviceId: string; entries: readonly LogEntry[] }[] = []
    for (const [deviceId, followed] of [...this.#logs])
      readings.push({ followed, deviceId, entries: await this.#entriesOf(deviceId) })
    // After a read that fails, the next reading finds the new entries of all devices again.
    return readings.flatMap(({ followed, deviceId, entries }) =>
      newEntries(followed, entries).map((entry) => ({ deviceId, entry })),
    )
  }

  /** Returns the latest entries of a device, the oldest first. */
  async #entriesOf(deviceId: string): Promise<readonly LogEntry[]> {
    const { history } = this.#options
    const nowMs = history.nowMs()
    const range = { fromMs: nowMs - WINDOW_MS, toMs: nowMs + 1 }
    const { items } = await history.log(deviceId, { ...range, kinds: [], limit: MAX_ENTRIES })
    // A bound moves on with the clock: it says nothing new.
    return items.filter(({ kind }) => kind !== 'CUT').reverse()
  }
}

/** Returns the entries that are new or have changed since the latest reading. This reading becomes the latest. */
function newEntries(followed: FollowedLog, entries: readonly LogEntry[]): readonly LogEntry[] {
  const { known, sinceMs } = followed
  followed.known = new Map(entries.map((entry) => [identityOf(entry), countOf(entry)]))
  if (known === null) return entries.filter(({ atMs }) => atMs >= sinceMs)
  return entries.filter((entry) => known.get(identityOf(entry)) !== countOf(entry))
}

/** Returns the part of the id behind its time. The time of an entry may change by a little when it is stored. */
const identityOf = ({ id }: LogEntry): string => id.slice(id.indexOf('-'))

/** Returns the number of equal events that an entry counts. An entry of any other kind never changes. */
const countOf = ({ detail }: LogEntry): unknown => detail.count ?? 1
