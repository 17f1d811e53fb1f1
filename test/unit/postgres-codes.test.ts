/** The statements for PostgreSQL take the numbers of names from src/store/postgres/schema/codes.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOM = fileURLToPath(new URL('../../src/store/postgres/', import.meta.url))
const BY_HAND = /\b(status|cause|guarantee|outcome|kind)\)? ?(=|<>|IN) ?\(?\d/

test('statements: a status, cause, guarantee, outcome or kind → no number by hand', () => {
  const files = readdirSync(ROOM, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const found = files.flatMap((name) =>
    readFileSync(`${ROOM}${name}`, 'utf8')
      .split('\n')
      .flatMap((line, n) => (BY_HAND.test(line) ? [`${name}:${n + 1}: ${line.trim()}`] : [])),
  )

  expect(found).toEqual([])
})
