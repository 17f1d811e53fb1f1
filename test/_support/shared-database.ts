/** The database of a data directory in tests over PostgreSQL: a schema of its own, which the test drops. */
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

/** Returns the value of `--store` for a data directory; undefined where the servers use SQLite. */
export function storeOf(dataDir: string): string | undefined {
  if (!OVER_POSTGRES) return undefined
  const schema = `t_${createHash('sha1').update(dataDir).digest('hex').slice(0, 16)}`
  if (!known.has(schema)) {
    known.add(schema)
    whenDone(async () => {
      known.delete(schema)
      await drop(schema)
    })
  }
  return urlOfSocket(SOCKET, schema)
}

async function drop(schema: string): Promise<void> {
  // Imported here, so that the fast tier does not load the driver.
  const { default: pg } = await import('pg')
  const client = new pg.Client({ host: SOCKET, user: 'waybill', database: 'waybill' })
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
}
