/** Creates the CORS rules of the package's own trees (`server.cors-origins`). */
import { ByVerb } from '../web/by-verb.ts'
import { Cors, type CorsOptions } from '../web/cors.ts'
import type { FolderRules } from '../web/rules.ts'

/** Request headers that a client of the broker sends, and response headers that it reads. */
const HEADERS = ['Authorization', 'Idempotency-Key', 'Last-Event-ID']
const EXPOSED = ['Link', 'Location', 'Retry-After', 'Idempotency-Replayed']

/** Returns the rules of a tree for these origins. @param origins checked values of the setting */
export function corsRules(origins: readonly string[]): FolderRules {
  const options: CorsOptions = {
    origins: origins.includes('*') ? '*' : origins,
    headers: HEADERS,
    expose: EXPOSED,
  }
  const declared = { cors: ByVerb.parse(options, Cors.parse) }
  const exports = { cors: options }
  return {
    file: 'server.cors-origins',
    exports,
    declared,
    headers: [],
    before: null,
    after: null,
    outer: null,
  }
}
