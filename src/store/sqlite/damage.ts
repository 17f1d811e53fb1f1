/** Finds what is wrong with a database: what a start can afford, or all there is. Reads only. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StartError } from '../../process/start-error.ts'
import { findInContent, findInSchema } from './invariants.ts'
import { MIGRATIONS } from './migrations.ts'
import { findLogDamage } from './wal.ts'

/** A larger database, or one that the disk does not give in this time, is not read whole at a start. */
const START_LIMIT = { bytes: 512 * 1024 * 1024, ms: 500 } as const

/**
 * @param depth `start`: size, header, write-ahead log, schema, and the structure of the pages where that takes at
 * most a second or so. `whole`: all pages, the indices against their tables, and what Waybill itself relies on.
 * @returns a line for each finding; none: nothing that this depth can see. Nobody can see a changed letter in a
 * text: SQLite has no checksums
 * @throws {StartError} when a later release wrote it
 */
export function findDamage(path: string, depth: 'start' | 'whole'): string[] {
  // SQLite would take it for a new database, and remove its write-ahead log.
  if (statSync(path).size === 0) return ['the file is empty']
  const inLog = findLogDamage(`${path}-wal`)
  if (inLog !== null) return [inLog]
  const findings = findInDatabase(path, depth)
  return findings.length > 0 ? findings : findTornPage(path)
}

function findInDatabase(path: string, depth: 'start' | 'whole'): string[] {
  const check = depth === 'whole' ? 'integrity_check' : isQuicklyRead(path) ? 'quick_check(1)' : null
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true })
    return findIn(db, path, check)
  } catch (error) {
    // SQLITE_ERROR: a header or a schema that this SQLite does not understand.
    if (!isDamage(error) && (error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error
    return [(error as Error).message]
  } finally {
    db?.close()
  }
}

/** @throws {StartError} one line, with the cure */
export function refuseDamaged(path: string): void {
  const [finding] = findDamage(path, 'start')
  if (finding !== undefined) throw damaged(path, finding)
}

/** @param reason SQLite's or our own; SQLite's may hold what stood in the database, which is told in one line all the same */
export function damaged(path: string, reason: string, cause?: unknown): StartError {
  return new StartError(
    `${path} is damaged (${reason.replace(/[\s\p{Cc}]+/gu, ' ')}): "waybill db check" tells more, "waybill db restore FILE" puts a backup in its place`,
    cause,
  )
}

/** Whether an error of SQLite says that the database itself is damaged. */
export function isDamage(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')
}

/** What the log says when no message is taken any more because of an error. */
export function whyStopped(error: Error): string {
  if (!isDamage(error)) return 'the disk failed: no message is taken any more until a restart. Check the disk'
  return (
    'the database is damaged: no message is taken any more. Stop the server; "waybill db check" tells more, ' +
    '"waybill db restore FILE" puts a backup in its place'
  )
}

/** SQLite would fill the last page up with zeros. With a log beside it the page may be half written for a good reason. */
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
  if (version > MIGRATIONS.length) throw laterRelease(path)
  if (version < 1) return ['it is no database of waybill']
  // Before the schema: damage may have taken that, and is the better reason.
  const inPages = check === null ? [] : findInPages(db, check)
  if (inPages.length > 0) return inPages
  const inSchema = findInSchema(db, version)
  return inSchema.length > 0 || check !== 'integrity_check' ? inSchema : findInContent(db)
}

function laterRelease(path: string): StartError {
  return new StartError(
    `${path} was written by a later release of waybill: install that one, or restore a backup`,
  )
}

function findInPages(db: Database.Database, check: string): string[] {
  const lines = db.prepare<[], string>(`PRAGMA ${check}`).pluck().all()
  return lines.flatMap((text) => text.split('\n')).filter((line) => line !== 'ok' && !line.startsWith('***'))
}

/** Reads it from one end to the other, which is ten times as fast as in the order of the check that follows. */
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
