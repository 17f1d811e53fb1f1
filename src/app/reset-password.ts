/** Sets the password of a client in a data directory that no server uses, as an admin does over the admin API. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { actorNamed } from '../audit/actor.ts'
import { ClientList } from '../auth/client-list.ts'
import type { ClientRecord } from '../auth/clients.ts'
import { StartError } from '../process/start-error.ts'
import { openStorage } from '../store/sqlite/database.ts'
import { DATABASE_FILE, DirectoryInUse } from '../store/sqlite/directory.ts'
import type { Storage } from '../store/storage.ts'

/** Maximum admins that the error for an unknown client names. */
const MAX_NAMED = 5

/** Reports that a data directory has no client with the given device id. */
export class NoSuchClient extends Error {}

/**
 * Sets a password and ends all tokens of the client. The audit trail gets a line without a client and an address.
 *
 * @throws {NoSuchClient}
 * @throws {AccountError} the password breaks a rule of the admin API
 * @throws {StartError} a server uses the directory, or it has no usable database
 */
export async function resetPassword(
  directory: string,
  deviceId: string,
  password: string,
): Promise<ClientRecord> {
  const storage = open(directory)
  try {
    const clients = await ClientList.open(storage.clients)
    const client = clients.byDevice(deviceId)
    if (!client) throw new NoSuchClient(unknownIn(clients, deviceId))
    return await clients.change(client.id, { password }, actorNamed(null))
  } finally {
    await storage.close()
  }
}

function open(directory: string): Storage {
  // Opening a directory creates its database. A mistyped directory must stay as it is.
  if (!existsSync(join(directory, DATABASE_FILE))) {
    throw new StartError(
      `${directory} has no database: name the data directory of the server with --data-dir`,
    )
  }
  try {
    return openStorage({ directory, onFailure() {}, durationsMs: [0], limits: { messages: 0, bytes: 0 } })
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
