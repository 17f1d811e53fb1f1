/**
 * Reports the changes of records that all nodes cache, by this node and by others, in the order in which the database
 * made them. Knows no SQL.
 */
import type { RecordUpdate } from '../../../auth/clients.ts'

export interface RecordChange<T> {
  readonly id: number
  /** Grows with each change of the record. */
  readonly revision: number
  /** Null for a removed record. */
  readonly record: T | null
}

export class SharedRecords<T> {
  readonly #read: () => Promise<readonly RecordChange<T>[]>
  /** Revisions of all records, including removed records, whose older changes may arrive later. */
  readonly #revisions = new Map<number, number>()
  readonly #listeners = new Set<(update: RecordUpdate<T>) => void>()
  /** Changes that arrived during a read of all records; null without a read. */
  #arrived: RecordChange<T>[] | null = null

  /** @param read reads the current state of all records */
  constructor(read: () => Promise<readonly RecordChange<T>[]>) {
    this.#read = read
  }

  watch(listener: (update: RecordUpdate<T>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports a change, unless a newer change of the record was reported. */
  apply(change: RecordChange<T>): void {
    if (this.#arrived !== null) this.#arrived.push(change)
    else if (this.#note(change)) this.#report(change)
  }

  /** Returns all records, and reports those that are new to this node. Later changes are reported. */
  async all(): Promise<T[]> {
    const { rows, arrived } = await this.#readAll()
    const records = new Map<number, T>()
    for (const row of rows) {
      if (this.#note(row)) this.#report(row)
      if (row.record !== null) records.set(row.id, row.record)
    }
    for (const change of arrived.filter((each) => this.#note(each))) {
      if (change.record === null) records.delete(change.id)
      else records.set(change.id, change.record)
      this.#report(change)
    }
    return [...records.values()]
  }

  /** Reads all records again, and reports changes. Call this after changes of other nodes may have been lost. */
  async reload(): Promise<void> {
    const known = [...this.#revisions.keys()]
    const { rows, arrived } = await this.#readAll()
    const present = new Set([...rows, ...arrived].map(({ id }) => id))
    for (const id of known) if (!present.has(id)) this.#report({ id, record: null })
    for (const change of [...rows, ...arrived]) this.apply(change)
  }

  async #readAll(): Promise<{ rows: readonly RecordChange<T>[]; arrived: readonly RecordChange<T>[] }> {
    const arrived: RecordChange<T>[] = []
    this.#arrived = arrived
    try {
      return { rows: await this.#read(), arrived }
    } finally {
      this.#arrived = null
    }
  }

  /** Stores the revision of a change. Returns false if a newer one is known. */
  #note({ id, revision }: RecordChange<T>): boolean {
    if (revision <= (this.#revisions.get(id) ?? 0)) return false
    this.#revisions.set(id, revision)
    return true
  }

  #report({ id, record }: RecordUpdate<T>): void {
    for (const listener of this.#listeners) listener({ id, record })
  }
}
