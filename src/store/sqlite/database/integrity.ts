/** Finds damage in a database: a quick check at a start, or a complete check. The checks only read. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { PermanentStartError, StartError } from '../../../process/start-error.ts'
import { version as ownRelease } from '../../../process/version.ts'
import { hasOwnSteps, MIGRATIONS, releaseOf } from '../schema/migrations.ts'
import { findContentDamage, findSchemaDamage } from './invariants.ts'
import { findWalDamage } from './wal-integrity.ts'

/** Limits of the start check. A database that is larger or takes longer to read is not checked page by page. */
const START_LIMIT = { bytes: 512 * 1024 * 1024, ms: 500 } as const

export interface Finding {
  readonly what: string
  /** True if the write-ahead log is damaged, so that SQLite can read the content before the damage. */
  readonly inLog: boolean
}

/**
 * Checks a database.
 *
 * @param depth `start` checks size, header, write-ahead log and schema, and the structure of the pages if that takes about a second at most. `whole` checks all pages, the indices against their tables, and Waybill's own invariants.
 * @returns the findings. A changed letter in a text is never found, because SQLite has no checksums
 * @throws {StartError} when a later release or an unreleased build wrote the database
 */
export function findDamage(path: string, depth: 'start' | 'whole'): Finding[] {
  const inLog = (what: string): Finding => ({ what, inLog: true })
  const inDatabase = (what: string): Finding => ({ what, inLog: false })
  // SQLite would treat an empty file as a new database, and remove its write-ahead log.
  if (statSync(path).size === 0) return [inDatabase('the file is empty')]
  const damagedLog = findWalDamage(`${path}-wal`)
  if (damagedLog !== null) return [inLog(damagedLog)]
  const findings = findInDatabase(path, depth)
  return (findings.length > 0 ? findings : findTornPage(path)).map(inDatabase)
}

function findInDatabase(path: string, depth: 'start' | 'whole'): string[] {
  const check = depth === 'whole' ? 'integrity_check' : isQuicklyRead(path) ? 'quick_check(1)' : null
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true })
    return findIn(db, path, check)
  } catch (error) {
    // SQLITE_ERROR: this SQLite does not understand the header or the schema.
    if (!isDamage(error) && (error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error
    return [(error as Error).message]
  } finally {
    db?.close()
  }
}

/** Runs the start check. @throws {StartError} the first finding, and how to repair the database */
export function refuseDamaged(path: string): void {
  const [finding] = findDamage(path, 'start')
  if (finding !== undefined) throw damaged(path, finding)
}

/**
 * Returns the error for a damaged database.
 *
 * @param finding SQLite's finding may quote the database, so line breaks and control characters become spaces
 */
export function damaged(path: string, { what, inLog }: Finding, cause?: unknown): StartError {
  const first = inLog
    ? '"waybill db recover" keeps all messages before the damage'
    : '"waybill db check" tells more'
  return new StartError(
    `${path} is damaged (${what.replace(/[\s\p{Cc}]+/gu, ' ')}): ${first}, "waybill db restore FILE" puts a backup in its place`,
    cause,
  )
}

/** Returns true if an error of SQLite means that the database itself is damaged. */
export function isDamage(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')
}

/**
 * Reports a truncated last page, which SQLite would fill up with zeros. A database with a write-ahead log is not
 * checked, because an interrupted checkpoint may leave such a page and the log repairs it.
 */
function findTornPage(path: string): string[] {
  const file = openSync(path, 'r')
  try {
    const pageBytes = Buffer.alloc(2)
    readSync(file, pageBytes, 0, 2, 16)
    const torn = statSync(path).size % (pageBytes.readUInt16BE() || 512) > 0
    return torn && !statSync(`${path}-wal`, { throwIfNoEntry: false })?.size
      ? ['its last page is cut off']
      : []
  } finally {
    closeSync(file)
  }
}

function findIn(db: Database.Database, path: string, check: string | null): string[] {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > MIGRATIONS.length) throw laterRelease(path, releaseOf(db, version))
  if (version < 1) return ['it is no database of waybill']
  // Pages come before the schema: if damaged pages hold the schema, the damage is the better reason.
  const inPages = check === null ? [] : findInPages(db, check)
  if (inPages.length > 0) return inPages
  if (!hasOwnSteps(db, version)) {
    if (isOurs(db)) throw unreleased(path)
    return ['it is no database of waybill']
  }
  const inSchema = findSchemaDamage(db, version)
  return inSchema.length > 0 || check !== 'integrity_check' ? inSchema : findContentDamage(db)
}

/** Returns true for a database of any build of Waybill. Another program may use the same number as its version. */
function isOurs(db: Database.Database): boolean {
  const tables = ['messages', 'clients', 'waiting', 'schema_steps'].map((name) => `'${name}'`)
  const found = db.prepare<[], number>(`SELECT count(*) FROM sqlite_schema WHERE name IN (${tables})`)
  return (found.pluck().get() ?? 0) > 1
}

function unreleased(path: string): StartError {
  return new PermanentStartError(
    `${path} was made by an unreleased build of waybill, whose schema this one does not have: start that build, restore a backup, or move the data directory away to begin with nothing`,
  )
}

function laterRelease(path: string, release: string | null): StartError {
  if (release === ownRelease()) return unreleased(path)
  return new StartError(
    release === null
      ? `${path} was written by a later release of waybill: install that one, or restore a backup`
      : `${path} needs waybill ${release} or later: install that release, or restore a backup`,
  )
}

function findInPages(db: Database.Database, check: string): string[] {
  const lines = db.prepare<[], string>(`PRAGMA ${check}`).pluck().all()
  return lines.flatMap((text) => text.split('\n')).filter((line) => line !== 'ok' && !line.startsWith('***'))
}

/** Reads the file sequentially within the limits, ten times as fast as the order of the following check. */
function isQuicklyRead(path: string): boolean {
  if (statSync(path).size > START_LIMIT.bytes) return false
  const endMs = performance.now() + START_LIMIT.ms
  const chunk = Buffer.alloc(1 << 20)
  const file = openSync(path, 'r')
  try {
    while (readSync(file, chunk) > 0) if (performance.now() > endMs) return false
    return true
  } finally {
    closeSync(file)
  }
}
