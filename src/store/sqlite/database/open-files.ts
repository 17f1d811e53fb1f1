/**
 * Detects that the files of a running database were removed, moved away or replaced. SQLite continues with the open
 * files, which no restart would find. Knows no tables.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { DATABASE_FILE, LOCK_FILE } from './directory.ts'

/** Interval at which open files are compared with the names in the data directory, in milliseconds. */
const LOOK_MS = 1_000

/** Code of the error for files that no longer have their names. */
export const FILES_GONE = 'FILES_GONE'

/** First bytes of each SQLite database. */
const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
/** Offset of the number that each change of the schema increments, as does a copy by `VACUUM INTO`. */
const SCHEMA_VERSION_AT = 40

/** Returns inode numbers as bigint, because they may exceed the integers of a number. */
const BIGINT = { bigint: true } as const

interface FileNumbers {
  readonly dev: bigint
  readonly ino: bigint
}

interface OpenFile {
  readonly name: string
  readonly path: string
  readonly descriptor: number
}

/** Error for open database files that differ from the files of the same names. */
class FilesGone extends Error {
  readonly code = FILES_GONE
}

/** Holds its own descriptors, because the driver does not expose SQLite's. */
export class OpenFiles {
  readonly #db: Database
  readonly #files: OpenFile[]
  readonly #database: OpenFile
  readonly #log: OpenFile
  readonly #numbersOf: (path: string) => FileNumbers
  /**
   * False on a file system whose numbers of a file differ by name and by descriptor. Missing names are still detected.
   */
  readonly #numbersAgree: boolean
  #timer: NodeJS.Timeout | null = null

  /**
   * @param db open connection in WAL mode to the database in the directory
   * @param numbersOf returns the numbers of the file with a name
   */
  constructor(
    directory: string,
    db: Database,
    numbersOf = (path: string): FileNumbers => statSync(path, BIGINT),
  ) {
    this.#db = db
    this.#numbersOf = numbersOf
    // Opened for writing: OverlayFS copies a file of a lower layer at its first such open, and gives the copy other
    // numbers.
    const open = (name: string): OpenFile => {
      const path = join(directory, name)
      return { name, path, descriptor: openSync(path, 'r+') }
    }
    this.#database = open(DATABASE_FILE)
    this.#log = open(`${DATABASE_FILE}-wal`)
    this.#files = [this.#database, this.#log, open(`${DATABASE_FILE}-shm`), open(LOCK_FILE)]
    this.#numbersAgree = this.#files.every((file) => this.#find(file) !== 'other')
  }

  /** Checks the files every second. @param onGone called once */
  watch(onGone: (error: Error) => void): void {
    this.#timer = setInterval(() => {
      const error = this.look()
      if (error === null) return
      this.#stop()
      onGone(error)
    }, LOOK_MS)
    this.#timer.unref()
  }

  /**
   * Returns an error if the database or its log has lost its last name. Each group of writes calls this between its
   * sync and its answers, so that no answered write exists only in an unlinked file. It makes two system calls; `look`
   * makes nine.
   */
  findRemoved(): Error | null {
    // A file system may always report zero names. The comparison by name then decides.
    return isUnlinked(this.#database) || isUnlinked(this.#log) ? this.look() : null
  }

  /** Compares the open files with the files of the same names. A file that cannot be examined is no finding. */
  look(): Error | null {
    const found = this.#files.filter((file) => {
      const state = this.#find(file)
      return state === 'missing' || (state === 'other' && this.#numbersAgree)
    })
    // The open files are no cure after another program wrote over them, whether their names are left or not.
    if (this.#isOverwritten()) return this.#overwritten()
    return found.length > 0 ? this.#removed(found) : null
  }

  /** Returns the sizes of the open files in bytes. */
  sizes(): { readonly database: number; readonly log: number } {
    return {
      database: fstatSync(this.#database.descriptor).size,
      log: fstatSync(this.#log.descriptor).size,
    }
  }

  /**
   * Closes the descriptors. The caller has closed all connections and the lock, because the first descriptor of a file
   * that a process closes ends all locks of the process on that file (POSIX). A second call does nothing.
   */
  close(): void {
    this.#stop()
    for (const { descriptor } of this.#files.splice(0)) closeSync(descriptor)
  }

  /** Finds the file of a name. Reads both numbers at the same moment, because some file systems renumber files. */
  #find({ path, descriptor }: OpenFile): 'same' | 'other' | 'missing' | 'unknown' {
    try {
      const named = this.#numbersOf(path)
      const open = fstatSync(descriptor, BIGINT)
      return named.dev === open.dev && named.ino === open.ino ? 'same' : 'other'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown'
    }
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Returns true if a copy was written into the open file, for example `cp` of a backup. */
  #isOverwritten(): boolean {
    const header = Buffer.alloc(HEADER_BYTES)
    try {
      readSync(this.#database.descriptor, header, 0, HEADER_BYTES, 0)
      if (!header.toString('latin1').startsWith(MAGIC)) return true
      // Checkpoints write into the file what the connection has already seen, so its number is never the smaller one.
      const known = this.#db.pragma('schema_version', { simple: true }) as number
      return header.readUInt32BE(SCHEMA_VERSION_AT) > known
    } catch {
      // A failed read stops the writer by itself, or passes, like a lock.
      return false
    }
  }

  #removed(found: readonly OpenFile[]): Error {
    const paths = found.map(({ path }) => path).join(', ')
    return new FilesGone(
      `the files of the database were removed, moved away or replaced (${paths}), so nothing can be stored. ` +
        `If the directory was moved, move it back, then restart the server. ${this.#rescue()}`,
    )
  }

  #rescue(): string {
    const paths = [this.#database, this.#log].map(({ name, descriptor }) => {
      return { name, path: `/proc/${process.pid}/fd/${descriptor}` }
    })
    // Only Linux has paths of open files.
    if (!paths.every(({ path }) => existsSync(path))) {
      return 'If it was removed, stop the server and restore a backup: this system has no paths of open files, so what is newer is lost'
    }
    const copies = paths.map(({ name, path }) => `cp ${path} DIR/${name}`).join(' && ')
    return `Otherwise do not stop the server before you copy the open files into an empty directory: ${copies}. Then start it with --data-dir DIR`
  }

  #overwritten(): Error {
    return new FilesGone(
      `another program wrote over the database (${this.#database.path}), so nothing can be stored. Stop the server, then put a backup in its place with "waybill db restore FILE"`,
    )
  }
}

function isUnlinked({ descriptor }: OpenFile): boolean {
  try {
    return fstatSync(descriptor).nlink === 0
  } catch {
    return false
  }
}
