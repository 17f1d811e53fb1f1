/** Defines the storage drivers that the setting storage.url selects. Types only. SQLite has no URL, and needs no row. */
import type { SharedWriteObserver } from '../broker/engine/storage-conditions.ts'
import type { Log } from '../process/log.ts'
import type { OpenOptions } from './sqlite/database.ts'
import type { Storage } from './storage.ts'

export interface StoreOptions extends OpenOptions {
  /** URL of a storage driver; null for SQLite in the directory. */
  readonly store: string | null
  readonly log: Pick<Log, 'info' | 'warn'>
  /** True if the storage is opened for one change, while nodes may have taken most connections. */
  readonly isBrief?: boolean
  /** True accepts a PostgreSQL whose settings let a crash lose answered requests. */
  readonly allowsLoss?: boolean
  readonly observer?: SharedWriteObserver
}

export interface StoreDriver {
  /** Schemes of its URLs, in lower case. */
  readonly schemes: readonly string[]
  /** Form of its URLs, for errors. */
  readonly form: string
  /** Kind of storage, and the form of its URLs, for --help and the docs. */
  readonly meaning: string
  /** Returns why a URL cannot be used; null if it can. */
  problem(url: string): string | null
  /** Returns a valid URL without its secrets. */
  shown(url: string): string
  /** Returns the tools that do what `waybill db` does for SQLite. */
  tools(url: string): string
  /** Opens the storage at a valid URL. Loads the code of the driver. @throws {StartError} */
  open(url: string, options: StoreOptions): Promise<Storage>
}
