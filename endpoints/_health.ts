/** Answers the probes of orchestrators and load balancers: a class that several modules share. Not a route. */
import type { UsesOwn } from '../src/services.ts'
import { Endpoint, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'
import { TextLike } from './_schemas.ts'

export const tag = { name: 'Health', description: 'Probes of orchestrators and load balancers' }

const HEADERS = { 'cache-control': 'no-store' }

export const Alive = Type.Object({ status: Type.Literal('ok') }, { title: 'Alive' })

const Checks = Type.Array(Type.Object({ name: TextLike('storage'), ok: Type.Boolean() }, { title: 'Check' }))

export const READINESS = {
  200: Type.Object({ status: Type.Literal('ok'), checks: Checks }, { title: 'Ready' }),
  503: Type.Object({ status: Type.Literal('failed'), checks: Checks }, { title: 'NotReady' }),
}

export function aliveReply(): Reply {
  return new Reply(200, { status: 'ok' }, { headers: HEADERS })
}

/** Base of the classes that answer whether the server can do its work. */
export class Readiness extends Endpoint<UsesOwn<'health'>> {
  static access = 'public'

  GET() {
    const checks = this.services.health.checks()
    const isReady = checks.every(({ ok }) => ok)
    return new Reply(isReady ? 200 : 503, { status: isReady ? 'ok' : 'failed', checks }, { headers: HEADERS })
  }
}
