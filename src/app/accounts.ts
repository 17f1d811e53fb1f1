/** Opens the clients and their accounts. */
import { Accounts } from '../auth/accounts.ts'
import { ClientList } from '../auth/client-list.ts'
import type { ClientStore } from '../auth/clients.ts'
import { ensureSecret } from '../auth/secret.ts'
import { claimedDeviceId, Tokens } from '../auth/token.ts'
import type { LoggedRejection } from '../broker/rejection-lines.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../web/app.ts'
import type { Identity } from '../web/endpoint.ts'

/** Opens the clients and their accounts. @throws {StartError} when the secret cannot be used */
export async function openAccounts(
  store: ClientStore,
  { dataDir, jwtSecret, jwtExpirationMs, permitAll }: Settings,
  log: Log,
): Promise<{ clients: ClientList; accounts: Accounts }> {
  const tokens = new Tokens(jwtSecret ?? ensureSecret(dataDir, log), jwtExpirationMs)
  const clients = await ClientList.open(store)
  const accounts = new Accounts({ clients, tokens })
  if (permitAll) {
    log.warn(
      {},
      'APP_SECURITY_PERMIT_ALL IS ON: NO ACCESS IS CHECKED, ANYONE MAY SEND ANY DEVICE ANY COMMAND',
    )
  }
  return { clients, accounts }
}

/** Returns the rejection of an Authorization header that proves no client, for the log. */
export function refusedToken(authorization: string, address: string): LoggedRejection {
  const deviceId = claimedDeviceId(authorization.replace(/^bearer +/i, '').trim())
  const message = 'it is wrong, expired, or older than the last change of its client'
  return { reason: 'WRONG_TOKEN', message, deviceId, address, transport: 'REST' }
}

const ANYONE: Identity = { id: '', roles: [], unrestricted: true }

/**
 * Returns the client of an Authorization header; null when the header proves none.
 * RFC 6750 section 2.1: `Authorization: Bearer <token>`, the scheme in any case.
 */
export function identify(
  accounts: Pick<Accounts, 'session'>,
  permitAll: boolean,
  authorization: string | undefined,
): Identity | null {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const session = token === undefined ? null : accounts.session(token)
  if (session) return { id: session.deviceId, roles: [session.role], unrestricted: permitAll }
  return permitAll ? ANYONE : null
}
