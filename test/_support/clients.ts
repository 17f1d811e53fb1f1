/** Clients put straight into a data directory, before a server has it open. */
import type { Role } from '../../src/auth/clients.ts'
import { hashPassword } from '../../src/auth/password.ts'
import { temporaryDirectory } from './cleanup.ts'
import { openIn } from './store.ts'

export const PASSWORD = 'sesame'
const MINUTE_MS = 60_000

/** A data directory in which these clients (role DEVISE, or as given) may log in with {@link PASSWORD}. */
export async function withClients(...clients: (string | [deviceId: string, role: Role])[]): Promise<string> {
  const dataDir = temporaryDirectory()
  for (const client of clients) {
    const [deviceId, role] = typeof client === 'string' ? [client] : client
    await addClient(dataDir, deviceId, { role })
  }
  return dataDir
}

/** @param changedAtMs when it was made, or last changed; a minute ago if not said */
export async function addClient(
  dataDir: string,
  deviceId: string,
  {
    role = 'DEVISE',
    changedAtMs = Date.now() - MINUTE_MS,
  }: { role?: Role | undefined; changedAtMs?: number } = {},
): Promise<void> {
  const storage = openIn(dataDir)
  const passwordHash = await hashPassword(PASSWORD)
  await storage.clients.add({ deviceId, passwordHash, role, description: '', changedAtMs })
  await storage.close()
}
