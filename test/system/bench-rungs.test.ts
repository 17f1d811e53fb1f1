/** Starts each rung of the server by hand of the benchmark, which uses parts of the product, and sends it a command. */
import { cpSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import jwt from 'jsonwebtoken'
import { expect, test, vi } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { BUILT, PROJECT, spawnCommand } from '../_support/server.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

const LAST_RUNG = 13
const JWT_SECRET = 'a secret of thirty-two characters'

/** Returns a copy of the rivals beside the build of this run. */
function rivals(): string {
  const root = temporaryDirectory()
  cpSync(join(PROJECT, 'bench/rivals'), join(root, 'bench/rivals'), { recursive: true })
  symlinkSync(join(dirname(BUILT[0] as string), '../../build'), join(root, 'build'))
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  return join(root, 'bench/rivals')
}

test('each rung stores a command and answers as the product does', async () => {
  const byHand = join(rivals(), 'by-hand.js')
  const token = jwt.sign({ sub: 'shop', roles: ['PRODUCER'] }, JWT_SECRET, { expiresIn: 600 })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (let rung = 0; rung <= LAST_RUNG; rung++) {
    // The rungs do not depend on the adapter, so they take turns.
    const ENGINE = ADAPTERS[rung % ADAPTERS.length] as string
    const env = { ENGINE, RUNG: String(rung), DATA_DIR: temporaryDirectory(), JWT_SECRET }
    const server = spawnCommand({ program: [byHand], args: [], env })
    const { url } = await server.logged((line) => typeof line.url === 'string')
    const body = JSON.stringify({ command: 'on' })
    const answer = await fetch(`${url}/producer/request/pump-1`, { method: 'PUT', headers, body })
    expect([rung, answer.status, await answer.json()]).toEqual([
      rung,
      200,
      { id: 1, tmpId: null, deliveryStatus: 'NOT_DELIVERED' },
    ])
    await server.kill('SIGKILL')
  }
})
