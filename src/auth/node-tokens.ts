/** Issues and verifies the tokens by which the nodes of one installation connect to each other. Knows no transport. */
import { createHmac } from 'node:crypto'
import { Tokens } from './token.ts'

/** Lifetime of a token. It covers the clock difference between two nodes. */
const LIFETIME_MS = 600_000
const ROLE = 'NODE'

export class NodeTokens {
  readonly #tokens: Tokens

  /**
   * @param secret signing secret of the installation. Node tokens have a derived key, so no client token is valid as a
   * node token
   */
  constructor(secret: string) {
    this.#tokens = new Tokens(
      createHmac('sha256', secret).update('links between nodes').digest('hex'),
      LIFETIME_MS,
    )
  }

  issue(from: number, to: number): string {
    return this.#tokens.issue(`${from} ${to}`, ROLE, Math.floor(Date.now() / 1000))
  }

  /** Returns whether a token lets a node connect to the node with this number. */
  isValid(token: string, to: number): boolean {
    const claims = this.#tokens.verify(token)
    return claims?.role === ROLE && claims.sub.split(' ')[1] === String(to)
  }
}
