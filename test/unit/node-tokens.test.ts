/** The tokens with which nodes connect to each other. */
import { expect, test } from 'vitest'
import { NodeTokens } from '../../src/auth/node-tokens.ts'
import { Tokens } from '../../src/auth/token.ts'

const SECRET = 's'.repeat(32)
const tokens = new NodeTokens(SECRET)

test('a token → it is valid for its node alone', () => {
  const token = tokens.issue(3, 4)
  expect(tokens.isValid(token, 4)).toBe(true)
  expect(tokens.isValid(token, 3)).toBe(false)
})

test('a token of a client, or of another installation → it is refused', () => {
  const seconds = Math.floor(Date.now() / 1000)
  expect(tokens.isValid(new Tokens(SECRET, 60_000).issue('3 4', 'NODE', seconds), 4)).toBe(false)
  expect(tokens.isValid(new NodeTokens('t'.repeat(32)).issue(3, 4), 4)).toBe(false)
  expect(tokens.isValid('password', 4)).toBe(false)
})

test('a token of a node → it is not one of a client', () => {
  expect(new Tokens(SECRET, 60_000).verify(tokens.issue(3, 4))).toBeNull()
})
