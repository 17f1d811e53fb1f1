/**
 * Keeps the time of the last login of each client. The storage gets them once a minute in one write, so that many
 * reconnecting devices do not wait for a disk. A crash loses at most a minute of them.
 */
import type { ClientStore } from './clients.ts'

/** Delay from a login to the write of its time, in milliseconds. */
export const LOGIN_WRITE_MS = 60_000

const WRITE_SIZE = 500

type LoginStore = Pick<ClientStore, 'lastLogins' | 'previousLogin' | 'recordLogins'>

export class LoginTimes {
  readonly #store: LoginStore
  readonly #now: () => number
  readonly #unwritten = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null

  /** @param now returns the time in milliseconds since 1970 */
  constructor(store: LoginStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  record(clientId: number): void {
    this.#unwritten.set(clientId, this.#now())
    this.#writeLater()
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.write(), LOGIN_WRITE_MS).unref()
  }

  /** Returns the times of all nodes, by client id. A client that never logged in has none. */
  async all(): Promise<ReadonlyMap<number, number>> {
    return new Map([...(await this.#store.lastLogins()), ...this.#unwritten])
  }

  /** Returns the time of the last login before the present visit of a client; null if none is known. */
  async previous(clientId: number): Promise<number | null> {
    await this.write()
    return this.#store.previousLogin(clientId)
  }

  /**
   * Stores the times, and keeps failed ones for the next write. Never rejects: the storage reports its failure itself.
   */
  async write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const times = [...this.#unwritten]
    try {
      for (let start = 0; start < times.length; start += WRITE_SIZE) {
        const part = times.slice(start, start + WRITE_SIZE)
        await this.#store.recordLogins(part)
        for (const [id, atMs] of part) if (this.#unwritten.get(id) === atMs) this.#unwritten.delete(id)
      }
    } catch {
      this.#writeLater()
    }
  }
}
