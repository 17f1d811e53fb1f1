/** Opens the configured storage. */
import type { StoreOptions } from './driver.ts'
import { driverOf } from './drivers.ts'
import { openStorage } from './sqlite/database.ts'
import type { Storage } from './storage.ts'

/** Opens a storage. @throws {StartError} */
export async function openStore(options: StoreOptions): Promise<Storage> {
  const { store } = options
  return store === null ? openStorage(options) : await driverOf(store).open(store, options)
}
