/** Answers probes of orchestrators and load balancers. Not a route. */
import type { Services } from '../src/services.ts'
import { Reply } from '../src/web/endpoint.ts'

const HEADERS = { 'cache-control': 'no-store' }

export function aliveReply(): Reply {
  return new Reply(200, { status: 'ok' }, { headers: HEADERS })
}

export function readinessReply(health: Services['health']): Reply {
  const checks = health.checks()
  const isReady = checks.every(({ ok }) => ok)
  return new Reply(isReady ? 200 : 503, { status: isReady ? 'ok' : 'failed', checks }, { headers: HEADERS })
}
