/** Logs each HTTP request, if `log.requests` is on. Knows no route. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../process/log.ts'
import type { Observe } from '../web/types.ts'

/** Log levels that show lines of level debug. */
const LEVELS: readonly string[] = ['debug', 'trace'] satisfies Settings['logLevel'][]

/** Returns the observer that logs requests; none if the setting is off or the level hides the lines. */
export function requestLog({ logRequests, logLevel }: Settings, log: Log): Observe[] {
  if (!logRequests) return []
  if (!LEVELS.includes(logLevel)) {
    log.warn(
      { logLevel },
      `log.requests is on, but log.level=${logLevel} hides its lines. Set log.level=debug`,
    )
    return []
  }
  return [
    (head, status, ms) => {
      const { method, path, identity } = head
      // With access checks off, a caller without a token has an empty id.
      const deviceId = identity?.id || null
      const address = head.remote()
      log.debug({ method, path, status, ms: Math.round(ms * 10) / 10, deviceId, address }, 'HTTP request')
    },
  ]
}
