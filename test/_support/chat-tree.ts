/** A tree with a class for WebSockets and an authenticator, for tests of any adapter. */
import { code } from './trees.ts'

/** An authenticator that takes `Bearer ID ROLE…` as the caller. */
export const GUARD = `
  export const open = ({ stage }) => ({ stage, seen: [] })
  export function authenticate(services, authorization) {
    const [scheme, id, ...roles] = (authorization ?? '').split(/[ ~]/)
    return scheme === 'Bearer' && id ? { id, roles } : null
  }`

export const chat = (members: string, statics = "static access = 'public'") => ({
  '_services.ts': GUARD,
  'chat.ts': code(`export class Default extends Endpoint { ${statics}\n${members} }
    export class Seen extends Endpoint { static access = 'public'; GET() { return this.services.seen } }`),
})

/** Method that answers a message with its text. */
export const ECHO = 'MESSAGE({ text }) { return { echo: text } }'
export const upgradeHeaders = (headers: Record<string, string>) => ({ headers })
