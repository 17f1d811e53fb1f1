/** Creates the first admin, and logs its random password at each start until its first login. */
import type { Accounts } from '../auth/accounts.ts'
import type { ClientList } from '../auth/client-list.ts'
import type { ClientRecord } from '../auth/clients.ts'
import type { FirstPassword, FirstPasswords } from '../auth/first-password.ts'
import { matches } from '../auth/password.ts'
import type { Settings } from '../config/settings.ts'
import { Unredacted } from '../process/create-log.ts'
import type { Log } from '../process/log.ts'
import { startErrorFor } from '../process/start-error.ts'
import type { Storage } from '../store/storage.ts'

interface Parts {
  readonly storage: Pick<Storage, 'clients' | 'shared'>
  readonly clients: Pick<ClientList, 'all' | 'createFirstAdmin' | 'hasAdmin'>
  readonly accounts: Pick<Accounts, 'onNextLogin'>
  readonly firstPassword: FirstPasswords
  readonly settings: Pick<Settings, 'adminId' | 'adminPassword'>
  readonly log: Log
}

/**
 * Creates an admin if there is none. Call it when all listeners are open, so that a failing start leaves no admin.
 *
 * @returns function that logs how to sign in. Call it after the server has logged its address
 * @throws {StartError} when the password cannot be written to the data directory
 */
export async function ensureFirstAdmin(parts: Parts): Promise<() => void> {
  const { storage, clients } = parts
  if (clients.hasAdmin()) return welcome(parts, clients.all())
  const { shared } = storage
  if (!shared) return createFirst(parts)
  return shared.alone(async () => {
    // Another node may have created the admin since this node read the clients.
    const stored = await storage.clients.all()
    return stored.some(isAdmin) ? welcome(parts, stored) : createFirst(parts)
  })
}

/** Returns the log function for a start with an existing admin. */
async function welcome(parts: Parts, clients: readonly ClientRecord[]): Promise<() => void> {
  const { adminId, adminPassword } = parts.settings
  const unused = await unusedPassword(parts.firstPassword, clients)
  if (unused) removeAtLogin(parts, unused)
  return () => {
    if (adminPassword !== null) warnOfIgnoredPassword(clients, adminId, parts.log)
    if (unused) logPassword(unused, parts.log)
  }
}

async function createFirst(parts: Parts): Promise<() => void> {
  const { storage, clients, firstPassword, log } = parts
  const { adminId, adminPassword } = parts.settings
  if (adminPassword !== null) await firstPassword.remove()
  const kept = adminPassword === null ? await keepNewPassword(firstPassword, adminId) : null
  const password = kept?.password ?? (adminPassword as string)
  const created = await clients.createFirstAdmin({ deviceId: adminId, password, description: 'first admin' })
  if (created === null) return welcome(parts, await storage.clients.all())
  if (kept === null)
    return () => log.info({ deviceId: adminId }, 'first admin: its password is the one of ADMIN_PASSWORD')
  removeAtLogin(parts, kept)
  return () => logPassword(kept, log)
}

function isAdmin({ role }: ClientRecord): boolean {
  return role === 'MAN'
}

/** Creates a password and writes it, before the admin is created. */
async function keepNewPassword(firstPassword: FirstPasswords, deviceId: string): Promise<FirstPassword> {
  try {
    return await firstPassword.create(deviceId)
  } catch (error) {
    throw startErrorFor(
      error,
      `the first admin cannot be created (${(error as Error).message}): free some space or check the disk, or set ADMIN_PASSWORD`,
    )
  }
}

/** Returns the stored password if it is still valid. Removes it otherwise, because the password was changed. */
async function unusedPassword(
  firstPassword: FirstPasswords,
  clients: readonly ClientRecord[],
): Promise<FirstPassword | null> {
  const kept = await firstPassword.read()
  const hash = kept && clients.find(({ deviceId }) => deviceId === kept.deviceId)?.passwordHash
  if (kept && hash && (await matches(kept.password, hash))) return kept
  await firstPassword.remove()
  return null
}

function removeAtLogin({ firstPassword, accounts, log }: Parts, { deviceId }: FirstPassword): void {
  accounts.onNextLogin(deviceId, async () => {
    try {
      await firstPassword.remove()
    } catch (error) {
      log.warn(
        { err: error },
        `the first password is used, but cannot be removed: remove ${firstPassword.place}`,
      )
    }
  })
}

function logPassword({ deviceId, password }: FirstPassword, log: Log): void {
  log.warn(
    { deviceId, password: new Unredacted(password) },
    'first admin: sign in with this id and password. Each start prints them until the first login',
  )
}

function warnOfIgnoredPassword(clients: readonly ClientRecord[], adminId: string, log: Log): void {
  const admins = clients.filter(isAdmin)
  const id = (admins.find(({ deviceId }) => deviceId === adminId) ?? admins[0])?.deviceId
  log.warn(
    {},
    `ADMIN_PASSWORD is ignored, because there is an admin already: remove it from the settings. "waybill client password ${id}" sets a new password`,
  )
}
