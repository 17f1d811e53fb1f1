/** Refuses backups, which are made with the programs of PostgreSQL. */

import type { Backups } from '../../../broker/contract/store-stats.ts'
import { BrokerError } from '../../../broker/vocabulary/errors.ts'

export class PostgresBackups implements Backups {
  make(): Promise<AsyncIterable<Uint8Array>> {
    return Promise.reject(
      new BrokerError(
        'backup-elsewhere',
        'The messages are in PostgreSQL, which makes its own backups. Use pg_basebackup, or pg_dump with the name of the schema.',
      ),
    )
  }
}
