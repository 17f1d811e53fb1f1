/** /readyz: reports whether the server can do its work, with all checks. */
import type { UsesOwn } from '../src/services.ts'
import { Endpoint } from '../src/web/endpoint.ts'
import { readinessReply } from './_health.ts'

export class Default extends Endpoint<UsesOwn<'health'>> {
  static access = 'public'
  static described = false

  GET() {
    return readinessReply(this.services.health)
  }
}
