/** Tests the choice of the server tests that run over uws too: none that can differ by adapter is left out. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mayDifferByAdapter } from '../_support/by-adapter.ts'

const PLAIN =
  "import { expect, test } from 'vitest'\nimport { BrokerUnderTest } from '../_support/broker.ts'\n"

describe('over both adapters', () => {
  test.each([
    ['plain calls', '', false],
    ['a call of its own', "const { status } = await fetch(url, { method: 'OPTIONS' })", true],
    ['bytes of its own', "await broker.raw('GET', '/%2e%2e/livez')", true],
    ['a request that waits', 'await broker.rest.get(`/consumer/getLastMessage/lamp?wait=1`)', true],
    ['a socket', "import { connect } from 'node:net'", true],
    ['the framework', "import { listenUws } from '../../src/web/uws.ts'", true],
    ['the contract', "import { adapterSuite } from '../contract/adapter.ts'", true],
    ['a module that nobody has judged', "import { twist } from '../_support/twist.ts'", true],
    ['a module that is loaded later', "const { twist } = await import('../_support/twist.ts')", true],
    ['its head says so', '/** The life of a message. Runs over each adapter. */', true],
  ])('a file with %s', (_, text, expected) => {
    expect(mayDifferByAdapter(PLAIN + text)).toBe(expected)
  })
})

test('files that name their adapter in what they assert → over both', () => {
  const directory = join(import.meta.dirname, '../server')
  const leftOut = readdirSync(directory)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }))
    .filter(({ text }) => !mayDifferByAdapter(text) && /ADAPTER (?:===|!==)|'uws'/.test(text))
  expect(leftOut.map(({ name }) => name)).toEqual([])
})
