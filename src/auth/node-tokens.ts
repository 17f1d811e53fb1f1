/** Issues and verifies the tokens with which the nodes of one installation connect to each other. Knows no transport. */
import { createHmac } from 'node:crypto'
import { Tokens } from './token.ts'

/** Lifetime of a token. It covers the difference between the clocks of two nodes. */
const LIFETIME_MS = 600_000
const ROLE = 'NODE'

export class NodeTokens {
  readonly #tokens: Tokens

  /** @param secret signing secret of the installation; a key of its own is derived, so that no token of a client is one of a node */
  constructor(secret: string) {
    this.#tokens = new Tokens(
      createHmac('sha256', secret).update('links between nodes').digest('hex'),
      LIFETIME_MS,
    )
  }

  issue(from: number, to: number): string {
    return this.#tokens.issue(`${from} ${to}`, ROLE, Math.floor(Date.now() / 1000))
  }

  /** Tells whether a token lets a node connect to the node with this number. */
  isValid(token: string, to: number): boolean {
    const claims = this.#tokens.verify(token)
    return claims?.role === ROLE && claims.sub.split(' ')[1] === String(to)
  }
}
