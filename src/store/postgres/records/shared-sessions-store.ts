/** Stores the sessions of transports, which nodes take over from each other. */
import type { SessionDirectory, TakenSession } from '../../../transport/session-directory.ts'
import { encodeText } from '../database/text.ts'
import type { Verbs } from '../database/verbs.ts'

interface SessionCall {
  readonly op: 'take' | 'keep' | 'release'
  readonly session_id: string
  readonly session_json: string
  readonly fence?: number
  readonly is_clean?: boolean
  readonly expiry_seconds?: number
  readonly subscriptions?: string | null
}

export function postgresSessions(verbs: Verbs): SessionDirectory {
  const call = verbs.write<SessionCall, TakenSession | null>({
    name: 'mqtt_sessions',
    keysOf: ({ session_id }) => ({ alone: [session_id], shared: [] }),
  })
  const named = (sessionId: string) => ({
    session_id: encodeText(sessionId),
    session_json: JSON.stringify(sessionId.toWellFormed()),
  })
  return {
    async take({ sessionId, isClean, expirySeconds }) {
      const taken = await call({
        op: 'take',
        ...named(sessionId),
        is_clean: isClean,
        expiry_seconds: expirySeconds,
      })
      return taken as TakenSession
    },
    async keep(sessionId, fence, subscriptions) {
      // Inside JSON text, so the escapes of JSON carry all characters.
      await call({ op: 'keep', ...named(sessionId), fence, subscriptions })
    },
    async release(sessionId, fence, expirySeconds) {
      await call({ op: 'release', ...named(sessionId), fence, expiry_seconds: expirySeconds })
    },
  }
}
