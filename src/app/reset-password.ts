/** Sets the password of a client directly in the storage, with the rules of the admin API. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { actorNamed } from '../audit/actor.ts'
import { ClientList } from '../auth/client-list.ts'
import type { ClientRecord } from '../auth/clients.ts'
import type { Values } from '../config/settings.ts'
import { StartError } from '../process/start-error.ts'
import { openStore } from '../store/open.ts'
import { DATABASE_FILE, DirectoryInUse } from '../store/sqlite/database/directory.ts'
import { openStorage } from '../store/sqlite/database.ts'
import type { Storage } from '../store/storage.ts'

/** Options that only concern messages. */
const UNUSED = { onFailure() {}, durationsMs: [0], limits: { messages: 0, bytes: 0 } }

/** Maximum admins listed in the error for an unknown client. */
const MAX_NAMED = 5

export class NoSuchClient extends Error {}

/**
 * Sets a password and ends all tokens of the client. The audit trail gets a line without a client and an address.
 *
 * @throws {NoSuchClient}
 * @throws {AccountError} the password breaks a rule of the admin API
 * @throws {StartError} a server uses the directory, or it has no usable database
 */
export async function resetPassword(
  where: Pick<Values, 'dataDir' | 'store'>,
  deviceId: string,
  password: string,
): Promise<ClientRecord> {
  const storage = await (where.store === null ? openDirectory(where.dataDir) : openDatabase(where.store))
  try {
    const clients = await ClientList.open(storage.clients)
    const client = clients.byDevice(deviceId)
    if (!client) throw new NoSuchClient(unknownIn(clients, deviceId))
    return await clients.change(client.id, { password }, actorNamed(null))
  } finally {
    await storage.close()
  }
}

/** Opens the shared database. Nodes may be running: they learn of the change as of a change by another node. */
function openDatabase(store: string): Promise<Storage> {
  return openStore({ ...UNUSED, store, directory: '', log: { info() {}, warn() {} }, isBrief: true })
}

function openDirectory(directory: string): Storage {
  // Opening a directory creates its database. A mistyped directory must stay unchanged.
  if (!existsSync(join(directory, DATABASE_FILE))) {
    throw new StartError(
      `${directory} has no database: name the data directory of the server with --data-dir`,
    )
  }
  try {
    return openStorage({ ...UNUSED, directory })
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
    throw new StartError(
      'The server uses this data directory. Stop it, or set the password on the admin page.',
      error,
    )
  }
}

function unknownIn(clients: ClientList, deviceId: string): string {
  const admins = clients.all().filter(({ role }) => role === 'MAN')
  const named = admins.slice(0, MAX_NAMED).map(({ deviceId: name }) => JSON.stringify(name))
  const more = admins.length > MAX_NAMED ? ` and ${admins.length - MAX_NAMED} more` : ''
  const known = named.length === 0 ? 'No client has role MAN.' : `With role MAN: ${named.join(', ')}${more}.`
  return `There is no client ${JSON.stringify(deviceId)}. ${known}`
}
