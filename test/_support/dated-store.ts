/** Opens the storage of a data directory with a clock set by the test, so that it can be filled with old messages. */
import type { MessageStore } from '../../src/broker/contract/store.ts'
import { openStoreAt } from './clients.ts'
import { HeldClock } from './clock.ts'
import { query, storeOf } from './shared-database.ts'
import { openIn } from './store.ts'

export interface DatedStore {
  readonly messages: MessageStore
  /** Sets the time of the storage, in milliseconds since 1970. */
  setWall(ms: number): Promise<void>
  /** Closes the storage. The next one has the current time. */
  close(): Promise<void>
}

export async function openDated(dataDir: string): Promise<DatedStore> {
  const store = storeOf(dataDir)
  if (store === undefined) {
    const clock = new HeldClock()
    const { messages, close } = openIn(dataDir, { clock })
    return { messages, setWall: async (ms) => clock.setWall(ms), close }
  }
  const { messages, close } = await openStoreAt(store, dataDir)
  const [own] = await query<{ body: string }>(
    dataDir,
    `SELECT prosrc AS body FROM pg_proc WHERE oid = 'now_ms'::regproc`,
  )
  const setClock = (body: string) =>
    query(
      dataDir,
      `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ ${body} $$`,
    )
  return {
    messages,
    async setWall(ms) {
      await setClock(`SELECT ${ms}::bigint`)
    },
    async close() {
      await setClock(own?.body ?? '')
      await close()
    },
  }
}
