/** How the storage is doing, as a contract; no SQL. Times are milliseconds since 1970. All of it is cheap at any size. */
import type { Status } from './status.ts'
import type { Soon } from './store.ts'

export interface MessageRef {
  readonly messageId: number
  readonly deviceId: string
  /** When it was stored, or changed. */
  readonly atMs: number
}

/** In bytes. */
export interface DiskSpace {
  readonly directory: string
  readonly database: number
  /** What is written and not yet moved into the database. */
  readonly log: number
  readonly free: number
  readonly disk: number
}

export interface Backups {
  /**
   * The state at one moment, as a file of the storage's own kind. One at a time, to its last byte or until its reader
   * leaves, which has to tell.
   *
   * @throws {BrokerError} backup-running, backup-no-room, storage-full, storage-failed, storage-closed
   */
  make(): Promise<AsyncIterable<Uint8Array>>
}

export interface StoreStats {
  /** Returns the number of pending messages of all devices. */
  pending(): Soon<number>

  /** Of the devices with the oldest messages, each one's oldest; looks at a bounded number of messages. */
  oldest(limit: number): Promise<readonly MessageRef[]>

  /** Returns some of the devices whose queues are nearly full. */
  nearlyFull(limit: number): Soon<readonly { readonly deviceId: string; readonly pending: number }[]>

  /** The newest messages that got a status at this time or later; looks at a bounded number of messages. */
  newest(status: Status, sinceMs: number, limit: number): Promise<readonly MessageRef[]>

  /** When the disk failed, so that nothing is stored any more. */
  readonly failedAtMs: number | null

  space(): Promise<DiskSpace>

  /** At most so many messages are kept, and so many templates. */
  counts(): Promise<{ readonly messagesAtMost: number; readonly templates: number }>
}
