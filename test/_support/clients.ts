/** Adds clients to a data directory before a server opens it. */
import { cpSync } from 'node:fs'
import type { Role } from '../../src/auth/clients.ts'
import { hashPassword } from '../../src/auth/password.ts'
import { openStore } from '../../src/store/open.ts'
import type { Storage } from '../../src/store/storage.ts'
import { lastingDirectory, temporaryDirectory } from './cleanup.ts'
import { OVER_POSTGRES, storeOf } from './shared-database.ts'
import { openIn } from './store.ts'

export const ADMIN_PASSWORD = 'correct horse'
export const PASSWORD = 'sesame'
const MINUTE_MS = 60_000

interface ClientOptions {
  readonly role?: Role | undefined
  /** Time when the client was created or last changed. Default: a minute ago. */
  readonly changedAtMs?: number
  readonly password?: string
  readonly description?: string
  /** Devices that the client may act for, in addition to its own id. */
  readonly devices?: readonly string[]
  readonly ownQueueOnly?: boolean | null
}

type Client = readonly [deviceId: string, options?: ClientOptions]

const ADMIN: Client = ['admin', { role: 'MAN', password: ADMIN_PASSWORD, description: 'first admin' }]

/** Data directories of {@link withClients}, by their clients. */
const templates = new Map<string, Promise<string>>()

/**
 * Creates a data directory with the admin and these clients (role DEVISE, or as given), who log in with {@link
 * PASSWORD}. Over SQLite it is a copy, because creating one takes three times as long.
 */
export async function withClients(...clients: (string | [deviceId: string, role: Role])[]): Promise<string> {
  const dataDir = temporaryDirectory()
  const added = clients.map(
    (client): Client => (typeof client === 'string' ? [client] : [client[0], { role: client[1] }]),
  )
  if (OVER_POSTGRES) {
    await addClients(dataDir, [...added, ADMIN])
    return dataDir
  }
  const key = JSON.stringify(clients)
  const template = templates.get(key) ?? templateWith([...added, ADMIN])
  templates.set(key, template)
  cpSync(await template, dataDir, { recursive: true })
  return dataDir
}

async function templateWith(clients: readonly Client[]): Promise<string> {
  const dataDir = lastingDirectory()
  await addClients(dataDir, clients)
  return dataDir
}

/** Creates two data directories with the same clients; see {@link withClients}. */
export async function withClientsTwice(...clients: string[]): Promise<[string, string]> {
  const first = await withClients(...clients)
  const second = temporaryDirectory()
  cpSync(first, second, { recursive: true })
  return [first, second]
}

export async function addClient(
  dataDir: string,
  deviceId: string,
  options: ClientOptions = {},
): Promise<void> {
  await addClients(dataDir, [[deviceId, options]])
}

async function addClients(dataDir: string, clients: readonly Client[]): Promise<void> {
  const store = storeOf(dataDir)
  const storage = store === undefined ? openIn(dataDir) : await openStoreAt(store, dataDir)
  for (const [deviceId, options] of clients) {
    const { role = 'DEVISE', changedAtMs = Date.now() - MINUTE_MS } = options ?? {}
    const { password = PASSWORD, description = '', devices = [], ownQueueOnly = null } = options ?? {}
    const passwordHash = await hashPassword(password)
    await storage.clients.add({
      ...{ deviceId, passwordHash, role, description, devices, ownQueueOnly, changedAtMs },
    })
  }
  await storage.close()
}

/** Opens the storage at a value of `--store`. Its owner closes it. */
export function openStoreAt(store: string, directory: string): Promise<Storage> {
  const limits = { messages: 0, bytes: 0 }
  return openStore({
    store,
    directory,
    limits,
    durationsMs: [0],
    onFailure() {},
    log: { info() {}, warn() {} },
    allowsLoss: true,
  })
}
