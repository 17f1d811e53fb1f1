/** The PostgreSQL store: the storage contract. */
import { postgresStoreOfFile } from '../_support/postgres-store.ts'
import { storeContract } from '../contract/store.ts'

storeContract('postgres', postgresStoreOfFile())
