/** /readyz: answers whether the server can do its work, with all checks. */
import { tag as healthTag, READINESS, Readiness } from './_health.ts'

export const tag = healthTag

export class Default extends Readiness {
  static operationId = { GET: 'isReady' }
  static summary = 'Check that the server can do its work'
  static responses = { GET: READINESS }
}
