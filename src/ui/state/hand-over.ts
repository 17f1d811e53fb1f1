/**
 * Passes the session between the tabs of this browser, so that a link in a new tab opens signed in. Only scripts of
 * this origin can listen. The token is in no storage that outlives the tabs.
 */

/** Session in the form that is passed on and kept for a reload. */
export interface KeptSession {
  readonly token: string
  readonly deviseId: string
  readonly role: string
  /** Time of the sign-in. The newest session wins. */
  readonly signedInDate: number
}

type Post =
  | { readonly ask: true; readonly nonce: string }
  | ({ readonly nonce: string | null } & KeptSession)
  | { readonly ended: string; readonly isExpired: boolean }

export interface SessionOfTab {
  /** Returns the session of this tab; null while it shows the sign-in. */
  readonly current: () => KeptSession | null
  /** Takes over a session of another tab. @param isNew true if somebody has just signed in there */
  readonly take: (session: KeptSession, isNew: boolean) => void
  readonly end: (token: string, isExpired: boolean) => void
}

/** Milliseconds for which a tab without a session waits for the others. */
const ANSWER_MS = 150

const channel = new BroadcastChannel('waybill.session')
const post = (message: Post): void => channel.postMessage(message)

/** Answers other tabs, and asks them if this tab has no session. Resolves when their answers are in. */
export async function startHandOver(tab: SessionOfTab): Promise<void> {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('-')
  let newest: KeptSession | null = null
  let isWaiting = true
  channel.onmessage = ({ data }: MessageEvent<Post>) => {
    if ('ended' in data) return tab.end(data.ended, data.isExpired)
    if ('ask' in data) {
      const current = tab.current()
      if (current) post({ nonce: data.nonce, ...current })
      return
    }
    if (data.nonce !== null && data.nonce !== nonce) return
    const { nonce: _, ...session } = data
    if (data.nonce === null || !isWaiting) return tab.take(session, data.nonce === null)
    if (newest === null || newest.signedInDate < session.signedInDate) newest = session
  }
  if (tab.current()) return
  post({ ask: true, nonce })
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
  isWaiting = false
  if (newest && !tab.current()) tab.take(newest, false)
}

/** Announces a sign-in to the other tabs, which take it over if they show the form. */
export function announceSession(session: KeptSession): void {
  post({ nonce: null, ...session })
}

export function announceEnd(token: string, isExpired: boolean): void {
  post({ ended: token, isExpired })
}
