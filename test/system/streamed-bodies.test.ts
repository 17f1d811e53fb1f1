/** A body of 100 MiB is read as a stream at constant memory, in a process of its own. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, inject, test } from 'vitest'
import { BUILT, LOCAL, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const MEGABYTE = 2 ** 20
const MEGABYTES = 100
/** Maximum growth of the memory in use, by the parts that wait for the endpoint. */
const GROWTH = 4

/** An endpoint that is slower than its client, and watches the memory that its process uses after a garbage collection. */
const TREE = {
  'index.ts': `
import { createHash } from 'node:crypto'
import { Endpoint } from 'waybill'

function used() {
  // Buffers are released in the background; the next collection waits for that.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

export class Default extends Endpoint {
  static body = 'stream'
  static bodyLimit = ${MEGABYTES * MEGABYTE}

  async PUT({ body }) {
    const before = used()
    const hash = createHash('sha256')
    let most = before
    let length = 0
    for await (const part of body) {
      hash.update(part)
      const isMeasured = length % ${8 * MEGABYTE} > (length + part.length) % ${8 * MEGABYTE}
      length += part.length
      // A handler slower than its client, which would fill the memory if it were not held back.
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (isMeasured) most = Math.max(most, used())
    }
    return { hash: hash.digest('hex'), megabytes: (most - before) / ${MEGABYTE} }
  }
}`,
}

test.each(inject('hasUws') ? ['node', 'uws'] : ['node'])(
  'a body of 100 MiB: over %s → read at constant memory',
  async (adapter) => {
    const args = [...LOCAL, '--adapter', adapter, '--prefix', writeTree(TREE)]
    const { url } = await startServer({ program: ['--expose-gc', ...BUILT], args })
    const piece = Buffer.alloc(MEGABYTE, 'waybill ')
    const hash = createHash('sha256')
    const upload = request(url, { method: 'PUT', headers: { 'content-length': MEGABYTES * MEGABYTE } })
    const answered = once(upload, 'response')
    for (let i = 0; i < MEGABYTES; i++) {
      hash.update(piece)
      if (!upload.write(piece)) await once(upload, 'drain')
    }
    upload.end()
    const [answer] = await answered
    let text = ''
    for await (const part of answer) text += part
    const read = JSON.parse(text) as { hash: string; megabytes: number }
    expect(read.hash).toBe(hash.digest('hex'))
    expect(read.megabytes).toBeLessThan(GROWTH)
  },
)
