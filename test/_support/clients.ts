/** Clients put straight into a data directory, as there is no way yet to make one over the wire. */
import { hashPassword } from '../../src/auth/password.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { temporaryDirectory } from './cleanup.ts'

const MINUTE_MS = 60_000

/** A data directory in which a device may log in, with the password `sesame`; it was made a minute ago. */
export async function withClient(deviceId: string): Promise<string> {
  const dataDir = temporaryDirectory()
  await addClient(dataDir, deviceId)
  return dataDir
}

/** The same in a directory that no server has open. */
export async function addClient(
  dataDir: string,
  deviceId: string,
  changedAtMs = Date.now() - MINUTE_MS,
): Promise<void> {
  const storage = openStorage(dataDir, () => {})
  const passwordHash = await hashPassword('sesame')
  await storage.clients.add({ deviceId, passwordHash, role: 'DEVISE', description: '', changedAtMs })
  await storage.close()
}
