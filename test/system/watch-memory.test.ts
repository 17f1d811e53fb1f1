/** --watch releases old versions of a tree: the memory of thirty versions is collected. */
import { expect, test } from 'vitest'
import { CLONE, LOCAL, startServer } from '../_support/server.ts'
import { writeIn, writeTree } from '../_support/trees.ts'

const RELOADS = 30
/** Versions alive: the served one, and the one before it, which a finished request may still hold. */
const ALIVE = 2
const MEGABYTES = 10

/** A version of an endpoint that holds a buffer and counts when that is collected. */
const version = (number: number): string => `
import { Endpoint } from 'waybill'

const watched = globalThis.watched ??= { collected: 0 }
watched.registry ??= new FinalizationRegistry(() => watched.collected++)
const buffer = Buffer.alloc(${MEGABYTES} << 20, 1)
watched.registry.register(buffer, 0)

export class Default extends Endpoint {
  GET() { return { version: ${number}, last: buffer.at(-1) } }
}

export class Memory extends Endpoint {
  GET() {
    globalThis.gc()
    return { collected: watched.collected, megabytes: process.memoryUsage().arrayBuffers / 2 ** 20 }
  }
}`

interface Memory {
  readonly collected: number
  readonly megabytes: number
}

test('--watch: thirty reloads → the memory of all but two versions is collected', async () => {
  const root = writeTree({ 'index.ts': version(0), '_shared.ts': 'export const shared = 1' })
  const program = ['--expose-gc', ...CLONE]
  const server = await startServer({ program, args: [...LOCAL, '--watch', '--prefix', root] })
  const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json()

  for (let number = 1; number <= RELOADS; number++) {
    const before = server.log.length
    writeIn(root, 'index.ts', version(number))
    await server.logged((line) => server.log.indexOf(line) >= before && line.msg === 'endpoints reloaded')
    expect(await get('/')).toEqual({ version: number, last: 1 })
  }

  // The garbage collector works in rounds of its own, so ask for several.
  let memory = (await get('/memory')) as Memory
  for (let tries = 0; tries < 50 && memory.collected < RELOADS + 1 - ALIVE; tries++) {
    memory = (await get('/memory')) as Memory
  }
  expect(memory.collected).toBeGreaterThanOrEqual(RELOADS + 1 - ALIVE)
  expect(memory.megabytes).toBeLessThan((ALIVE + 1) * MEGABYTES)
})
