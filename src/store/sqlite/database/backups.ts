/**
 * Makes backups as streams of bytes, one at a time. The copy in the data directory is unlinked before it is read, so
 * that the operating system frees its space when the reader ends or the process dies. Knows no HTTP.
 */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Backups } from '../../../broker/contract/store-stats.ts'
import { BrokerError } from '../../../broker/vocabulary/errors.ts'
import { startThread } from '../../../process/thread.ts'
import type { SqliteStats } from '../views/store-stats.ts'
import { DATABASE_FILE } from './directory.ts'
import { type Failure, toBrokerError, toError } from './faults.ts'

/** Name of the copy during its creation. */
export const BACKUP_FILE = `${DATABASE_FILE}.backup`

/** Bytes per chunk of the stream. */
const CHUNK_BYTES = 65_536
/** Bytes that must be free in addition to the copy, for messages that arrive meanwhile. */
const RESERVE_BYTES = 16_777_216

export class SqliteBackups implements Backups {
  readonly #directory: string
  readonly #stats: Pick<SqliteStats, 'space'>
  #busy = false
  #thread: Worker | null = null
  #ended: Promise<unknown> = Promise.resolve()
  #closing = false

  constructor(directory: string, stats: Pick<SqliteStats, 'space'>) {
    this.#directory = directory
    this.#stats = stats
  }

  async make(): Promise<AsyncIterable<Uint8Array>> {
    if (this.#closing) throw new BrokerError('storage-closed', 'The server is shutting down.')
    if (this.#busy) {
      throw new BrokerError('backup-running', 'Another backup is running. Try again when it has ended.')
    }
    this.#busy = true
    const path = join(this.#directory, BACKUP_FILE)
    try {
      await this.#requireSpace()
      await this.#copy(path)
      return this.#read(await open(path, 'r'))
    } catch (error) {
      this.#busy = false
      throw error
    } finally {
      await rm(path, { force: true })
    }
  }

  /** Ends a running copy. Resolves when its thread has ended. */
  async close(): Promise<void> {
    this.#closing = true
    void this.#thread?.terminate()
    await this.#ended
  }

  async #requireSpace(): Promise<void> {
    const { database, log, free } = await this.#stats.space()
    const needed = database + log + RESERVE_BYTES
    if (free === null || free >= needed) return
    throw new BrokerError(
      'backup-no-room',
      `A backup needs ${needed} free bytes on the disk for a while, and ${free} are free. Free some space, or run "waybill db backup FILE" with a file on another disk.`,
    )
  }

  async #copy(path: string): Promise<void> {
    await rm(path, { force: true })
    const from = join(this.#directory, DATABASE_FILE)
    const thread = startThread('store/sqlite/database/backup-thread', { from, to: path })
    let failure: Failure | null = null
    thread.on('message', (reported: Failure) => {
      failure = reported
    })
    const ended = new Promise<void>((resolve, reject) => {
      thread.on('error', reject)
      thread.on('exit', () => resolve())
    })
    this.#thread = thread
    this.#ended = ended.catch(() => {})
    await ended
    this.#thread = null
    if (this.#closing) throw new BrokerError('storage-closed', 'The server is shutting down.')
    if (failure) throw toBrokerError(failure) ?? toError(failure)
  }

  #read(file: FileHandle): AsyncIterable<Uint8Array> {
    const end = async (): Promise<{ done: true; value: undefined }> => {
      this.#busy = false
      await file.close()
      return { done: true, value: undefined }
    }
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          try {
            const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES)
            if (bytesRead > 0) return { done: false, value: buffer.subarray(0, bytesRead) }
          } catch (error) {
            await end()
            throw error
          }
          return end()
        },
        return: end,
      }),
    }
  }
}
