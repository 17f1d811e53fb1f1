/** The PostgreSQL driver: the contracts beside the messages. */
import { openPostgresStorage } from '../_support/postgres-store.ts'
import { storageContract } from '../contract/storage.ts'

storageContract('postgres', openPostgresStorage)
