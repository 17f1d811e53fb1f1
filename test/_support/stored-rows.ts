/** Runs statements on the data of a directory, in SQLite or in PostgreSQL: a table has the same name in both. */

import { OVER_POSTGRES, query } from './shared-database.ts'
import { alter, databaseIn, rowsOf } from './stored.ts'

/** Returns rows. Columns other than text and ids may differ between the drivers. */
export async function rowsIn<Row>(dataDir: string, sql: string): Promise<Row[]> {
  return OVER_POSTGRES ? ((await query(dataDir, sql)) as Row[]) : rowsOf<Row>(databaseIn(dataDir), sql)
}

/** Runs statements on a database that no server has open. */
export async function alterIn(dataDir: string, sql: string): Promise<void> {
  if (OVER_POSTGRES) await query(dataDir, sql)
  else alter(databaseIn(dataDir), sql)
}
