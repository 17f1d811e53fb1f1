/** Keeps the session of this tab. The token is kept in memory and in session storage only. */
import { computed, signal } from '@preact/signals'
import { ConnectionError, type components, RequestError } from '../../client/index.ts'
import { announceEnd, announceSession, type KeptSession, startHandOver } from './hand-over.ts'

export interface Session {
  readonly deviceId: string
  readonly role: Role
  readonly kept: KeptSession
}

type Role = components['schemas']['Role']

const KEY = 'waybill.session'

export const session = signal<Session | null>(restored())
/** True if the client may change something: its role is not READER. */
export const mayChange = computed(() => session.value?.role !== 'READER')
/** True if the server ended the last session, false if the user signed out. */
export const hasExpired = signal(false)
/** True while other tabs are asked for their session, so that no sign-in is shown yet. */
export const isAskingTabs = signal(session.peek() === null)
/** True once somebody types into the sign-in. */
export const isFormTouched = signal(false)

function restored(): Session | null {
  const kept = sessionStorage.getItem(KEY)
  return kept === null ? null : sessionOf(JSON.parse(kept) as KeptSession)
}

function sessionOf(kept: KeptSession): Session {
  return { deviceId: kept.deviseId, role: kept.role as Role, kept }
}

/**
 * Shares the session with the other tabs of this browser. Resolves when a session of another tab would have arrived.
 */
export async function shareSession(): Promise<void> {
  await startHandOver({
    current: () => session.peek()?.kept ?? null,
    take(kept, isNew) {
      const current = session.peek()
      // A new password ends the old session of the same person, so the new session replaces it.
      const isWanted = current ? isNew && current.deviceId === kept.deviseId : isNew || !isFormTouched.peek()
      if (isWanted) begin(sessionOf(kept))
    },
    end(token, isExpired) {
      if (session.peek()?.kept.token === token) end(isExpired)
    },
  })
  isAskingTabs.value = false
}

function begin(wanted: Session): void {
  sessionStorage.setItem(KEY, JSON.stringify(wanted.kept))
  hasExpired.value = false
  isFormTouched.value = false
  session.value = wanted
}

function end(isExpired: boolean): void {
  sessionStorage.removeItem(KEY)
  hasExpired.value = isExpired
  session.value = null
}

/**
 * Begins a session, also in other tabs that show the sign-in.
 *
 * @returns false if the client is a device, which may not use this page
 * @throws {RequestError} 401, 429 @throws {ConnectionError}
 */
export async function signIn(deviseId: string, password: string): Promise<boolean> {
  const { accessToken: token, role } = await login(deviseId, password)
  if (role === 'DEVISE') return false
  const kept = { token, deviseId, role, signedInDate: Date.now() }
  begin(sessionOf(kept))
  announceSession(kept)
  return true
}

/** Logs in without the client library, whose code loads with the screens, to keep the sign-in small. */
async function login(deviseId: string, password: string): Promise<components['schemas']['LoginResult']> {
  const response = await fetch('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/problem+json, application/json' },
    body: JSON.stringify({ deviseId, password }),
  }).catch((error: unknown) => {
    throw new ConnectionError(location.origin, error)
  })
  const body = await response.json().catch(() => null)
  if (!response.ok) throw new RequestError(response.status, body)
  return body
}

/** Ends the session in all tabs that share it. */
export function signOut({ expired = false } = {}): void {
  const token = session.peek()?.kept.token
  end(expired)
  if (token !== undefined) announceEnd(token, expired)
}
