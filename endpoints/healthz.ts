/** /healthz: answers as /readyz does, for probes that expect this path. */
import { tag as healthTag, READINESS, Readiness } from './_health.ts'

export const tag = healthTag

export class Default extends Readiness {
  static operationId = { GET: 'isHealthy' }
  static summary = 'Check that the server can do its work'
  static responses = { GET: READINESS }
}
