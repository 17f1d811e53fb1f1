/** Creates the first admin, and prints its random password at each start until its first login. */
import { randomBytes } from 'node:crypto'
import type { Accounts } from '../auth/accounts.ts'
import type { ClientList } from '../auth/client-list.ts'
import { type FirstPassword, FirstPasswordFile } from '../auth/first-password.ts'
import { matches } from '../auth/password.ts'
import type { Settings } from '../config/settings.ts'
import { Unredacted } from '../process/log.ts'
import { startErrorFor } from '../process/start-error.ts'
import type { Log } from '../web/app.ts'

interface Parts {
  readonly clients: ClientList
  readonly accounts: Pick<Accounts, 'onNextLogin'>
  readonly settings: Pick<Settings, 'dataDir' | 'adminId' | 'adminPassword'>
  readonly log: Log
}

/**
 * Creates an admin if no client is one. Call it when all listeners are open, so that a start that fails leaves no admin.
 *
 * @returns logs how to sign in. Call it after the server has logged its address
 * @throws {StartError} when the password cannot be kept in the data directory
 */
export async function ensureFirstAdmin({ clients, accounts, settings, log }: Parts): Promise<() => void> {
  const { dataDir, adminId, adminPassword } = settings
  const file = new FirstPasswordFile(dataDir)
  if (clients.hasAdmin()) {
    const unused = await unusedPassword(file, clients)
    if (unused) removeAtLogin(file, unused, accounts, log)
    return () => {
      if (adminPassword !== null) warnOfIgnoredPassword(clients, adminId, log)
      if (unused) logPassword(unused, log)
    }
  }
  if (adminPassword !== null) {
    file.remove()
    await createAdmin(clients, adminId, adminPassword)
    return () => log.info({ deviceId: adminId }, 'first admin: its password is the one of ADMIN_PASSWORD')
  }
  const created = keepNewPassword(file, adminId)
  await createAdmin(clients, adminId, created.password)
  removeAtLogin(file, created, accounts, log)
  return () => logPassword(created, log)
}

async function createAdmin(clients: ClientList, deviceId: string, password: string): Promise<void> {
  await clients.create({ deviceId, password, role: 'MAN', description: 'first admin' })
}

/** Makes a password and writes it to disk, before the admin is created. */
function keepNewPassword(file: FirstPasswordFile, deviceId: string): FirstPassword {
  const created = { deviceId, password: randomBytes(15).toString('base64url') }
  try {
    file.write(created)
  } catch (error) {
    throw startErrorFor(
      error,
      `the first admin cannot be created (${(error as Error).message}): free some space or check the disk, or set ADMIN_PASSWORD`,
    )
  }
  return created
}

/** Returns the password in the file if it is still right. Removes the file otherwise, because the password was changed. */
async function unusedPassword(file: FirstPasswordFile, clients: ClientList): Promise<FirstPassword | null> {
  const kept = file.read()
  const hash = kept && clients.byDevice(kept.deviceId)?.passwordHash
  if (kept && hash && (await matches(kept.password, hash))) return kept
  file.remove()
  return null
}

function removeAtLogin(
  file: FirstPasswordFile,
  { deviceId }: FirstPassword,
  accounts: Parts['accounts'],
  log: Log,
): void {
  accounts.onNextLogin(deviceId, () => {
    try {
      file.remove()
    } catch (error) {
      log.warn({ err: error }, 'the file first-password cannot be removed: remove it from the data directory')
    }
  })
}

function logPassword({ deviceId, password }: FirstPassword, log: Log): void {
  log.warn(
    { deviceId, password: new Unredacted(password) },
    'first admin: sign in with this id and password. Each start prints them until the first login',
  )
}

function warnOfIgnoredPassword(clients: ClientList, adminId: string, log: Log): void {
  const admins = clients.all().filter(({ role }) => role === 'MAN')
  const id = (admins.find(({ deviceId }) => deviceId === adminId) ?? admins[0])?.deviceId
  log.warn(
    {},
    `ADMIN_PASSWORD is ignored, because there is an admin already: remove it from the settings. "waybill client password ${id}" sets a new password`,
  )
}
