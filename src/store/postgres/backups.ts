/** Refuses backups, which the programs of PostgreSQL make. */
import { BrokerError } from '../../broker/errors.ts'
import type { Backups } from '../../broker/store-stats.ts'

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
