/** Clients put straight into a data directory, as there is no way yet to make one over the wire. */
import type { Role } from '../../src/auth/clients.ts'
import { hashPassword } from '../../src/auth/password.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { temporaryDirectory } from './cleanup.ts'

/** A data directory in which a client may log in, with the password `sesame`; it was made a minute ago. */
export async function withClient(deviceId: string, role: Role = 'DEVISE'): Promise<string> {
  const dataDir = temporaryDirectory()
  const storage = openStorage(dataDir, () => {})
  const passwordHash = await hashPassword('sesame')
  const changedAtMs = Date.now() - 60_000
  await storage.clients.add({ deviceId, passwordHash, role, description: '', changedAtMs })
  storage.close()
  return dataDir
}
