/** Matches device ids against the `devices` of a client. Knows no client and no right. */

export const MAX_LISTED_DEVICES = 1_000

/** List of device ids, and of prefixes of ids that end in `*`. `*` alone covers every device. */
export class DeviceList {
  readonly #ids = new Set<string>()
  /** Prefixes without `*`, by length, so that a match costs one look-up per length. */
  readonly #prefixes = new Map<number, Set<string>>()

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.endsWith('*')) this.#addPrefix(entry.slice(0, -1))
      else this.#ids.add(entry)
    }
  }

  /** Entries without `*`. */
  get ids(): ReadonlySet<string> {
    return this.#ids
  }

  prefixes(): readonly string[] {
    return [...this.#prefixes.values()].flatMap((prefixes) => [...prefixes])
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0 && this.#prefixes.size === 0
  }

  /** Returns whether an entry is the device id, or a prefix of it. */
  covers(deviceId: string): boolean {
    if (this.#ids.has(deviceId)) return true
    for (const [length, prefixes] of this.#prefixes) {
      if (prefixes.has(deviceId.slice(0, length))) return true
    }
    return false
  }

  #addPrefix(prefix: string): void {
    const prefixes = this.#prefixes.get(prefix.length)
    if (prefixes) prefixes.add(prefix)
    else this.#prefixes.set(prefix.length, new Set([prefix]))
  }
}

export const NO_DEVICES = new DeviceList([])
