/** Manages the database of a data directory in tests over PostgreSQL: one schema, which the test drops. */
import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import { whenDone } from './cleanup.ts'
import { urlOfSocket } from './database-url.ts'
import './provided.ts'

/** Directory with the socket of PostgreSQL; empty in the projects that test over SQLite. */
const SOCKET = inject('postgres')

/** True in the project whose servers use PostgreSQL. */
export const OVER_POSTGRES = SOCKET !== ''

const known = new Set<string>()
/** Copies of data directories, with the directory whose database they share. */
const originals = new Map<string, string>()

/** Returns the value of `--store` for a data directory; undefined if the servers use SQLite. */
export function storeOf(dataDir: string): string | undefined {
  if (!OVER_POSTGRES) return undefined
  const schema = schemaOf(dataDir)
  if (!known.has(schema)) {
    known.add(schema)
    whenDone(async () => {
      known.delete(schema)
      await query(dataDir, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    })
  }
  return urlOfSocket(SOCKET, schema)
}

/** Makes a copy of a data directory use the database of the original. */
export function shareDatabase(copy: string, original: string): void {
  originals.set(copy, originals.get(original) ?? original)
}

/** Runs statements on the database of a data directory, and returns the rows of the last one. */
export async function query<Row extends object>(dataDir: string, sql: string): Promise<Row[]> {
  // Imported on demand, so that the fast tier does not load the driver.
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    ...{ host: SOCKET, user: 'waybill', database: 'waybill' },
    options: `-c search_path=${schemaOf(dataDir)}`,
  })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

function schemaOf(dataDir: string): string {
  const owner = originals.get(dataDir) ?? dataDir
  return `t_${createHash('sha1').update(owner).digest('hex').slice(0, 16)}`
}
