/** Part of the adapter contract: a malformed request is refused at once, and no part of it is read as another request. */
import { expect, onTestFinished, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter, Site } from './adapter.ts'
import { BROKEN_CHUNKS, GARBAGE, HIDDEN, HUGE_CHUNKS, SLOPPY_CHUNKS, UNREADABLE, WRONG } from './malformed.ts'

/** A class that reports to the stage when the hidden request is called. */
const TREE = {
  'index.ts': code(`export class Echo extends Endpoint {
    ANY({ hidden = null, ...rest }) {
      if (hidden) this.services.stage.say('hidden')
      return rest
    }
  }`),
}
const CHUNKED = 'POST /echo HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n'
const DEADLINE_MS = 2_000

/** Sends bytes and returns the statuses of the answers, then `closed`, or `hangs` if the connection is open after the deadline. */
async function outcome(port: number, bytes: string | Uint8Array): Promise<string> {
  const client = await Client.connect(port)
  const seen: number[] = []
  const answers = (async () => {
    for (;;) seen.push((await client.answer()).status)
  })().catch(() => client.closed.then(() => 'closed'))
  await client.send(bytes)
  let late: NodeJS.Timeout | undefined
  const deadline = new Promise<string>((resolve) => {
    late = setTimeout(resolve, DEADLINE_MS, 'hangs')
  })
  const end = await Promise.race([answers, deadline])
  clearTimeout(late)
  return [...seen, end].join(' ')
}

async function outcomes(
  { port }: Site,
  requests: Readonly<Record<string, string | Uint8Array>>,
): Promise<Record<string, string>> {
  const all = Object.entries(requests).map(
    async ([what, bytes]) => [what, await outcome(port, bytes)] as const,
  )
  return Object.fromEntries(await Promise.all(all))
}

const REFUSED = expect.stringMatching(/^((4\d\d|501) )?closed$/)

function expectAll(requests: object, expected: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.keys(requests).map((what) => [what, expected]))
}

export function malformedCases({ start, differences }: Adapter): void {
  /** Starts a site and checks after the test: it answers, the hidden request was never called, nothing is logged. */
  const guarded = async (bodyLimit?: number): Promise<Site> => {
    const site = await start(TREE, { bodyLimit })
    let called = false
    void site.stage.heard('hidden').then(() => {
      called = true
    })
    onTestFinished(async () => {
      expect((await request(site.port, 'GET', '/echo?alive=1')).json()).toEqual({ alive: '1' })
      expect(called).toBe(false)
      expect(site.log.lines).toEqual([])
    })
    return site
  }

  const waits = differences.waitsForMore
  test(`a request: cannot be parsed → ${waits ? `no answer (${waits})` : 'refused'}`, async () => {
    const site = await guarded()
    const expected = expectAll(UNREADABLE, expect.stringMatching(/^(400 )?closed$/))
    if (!waits) return expect(await outcomes(site, UNREADABLE)).toEqual(expected)
    let bytes = 0
    for (const unreadable of [...Object.values(UNREADABLE), ...Object.values(GARBAGE)]) {
      const client = await Client.connect(site.port)
      client.onBytes((total) => {
        bytes += total
      })
      await client.send(unreadable)
    }
    await request(site.port, 'GET', '/echo')
    expect(bytes).toBe(0)
  })

  test.skipIf(waits)('a request: garbage instead of a request line → 400', async () => {
    expect(await outcomes(await guarded(), GARBAGE)).toEqual(expectAll(GARBAGE, '400 closed'))
  })

  test.skipIf(waits)('a request: garbage behind another request → 400 after its answer', async () => {
    const { port } = await guarded()
    const first = String(requestOf('GET', '/echo'))
    const behind = Object.entries(GARBAGE).map(async ([what, bytes]) => {
      const all = Buffer.concat([Buffer.from(first), Buffer.from(bytes as string)])
      return [what, await outcome(port, all)] as const
    })
    expect(Object.fromEntries(await Promise.all(behind))).toEqual(expectAll(GARBAGE, '200 400 closed'))
    expect(await outcome(port, `${first}BREW /echo HTTP/1.1\r\nhost: test\r\n\r\n`)).toBe('200 501 closed')
  })

  test('a request: a wrong head → refused', async () => {
    expect(await outcomes(await guarded(), WRONG)).toEqual(expectAll(WRONG, REFUSED))
  })

  test('a chunked body: broken chunks → refused', async () => {
    expect(await outcomes(await guarded(), BROKEN_CHUNKS)).toEqual(expectAll(BROKEN_CHUNKS, REFUSED))
  })

  const sloppy = differences.closesAfterChunks
  test(`a chunked body: sloppy chunks → ${sloppy ? `the connection ends (${sloppy})` : 'refused'}`, async () => {
    const expected = sloppy ? expect.stringMatching(/^((200|4\d\d) )?closed$/) : REFUSED
    expect(await outcomes(await guarded(), SLOPPY_CHUNKS)).toEqual(expectAll(SLOPPY_CHUNKS, expected))
  })

  const counts = differences.countsBytesOfChunks
  test.each(HUGE_CHUNKS)(
    `a chunk: announces 0x%s bytes → refused ${counts ? `once it exceeds the limit (${counts})` : 'at once'}`,
    async (size) => {
      const site = await guarded(1_000)
      const client = await Client.connect(site.port)
      await client.send(`${CHUNKED}${size}\r\n{}`)
      if (counts) await client.send('x'.repeat(1_000))
      if (counts) expect((await client.answer()).status).toBe(413)
      else await expect(client.answer()).rejects.toThrow('without an answer')
      await client.closed
    },
  )

  const blind = differences.losesHeadersBehindNamelessOnes
  test.skipIf(blind)('a header: without a name → refused', async () => {
    const bytes = `POST /echo HTTP/1.1\r\nhost: test\r\n: x\r\ncontent-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`
    expect(await outcome((await guarded()).port, bytes)).toEqual(REFUSED)
  })

  test('a header: behind many others → still read', async () => {
    const site = await guarded()
    const many = differences.takesFewHeaders ? 40 : 3_000
    const head = `POST /echo HTTP/1.1\r\nhost: test\r\n${'a: b\r\n'.repeat(many)}`
    const client = await Client.connect(site.port)
    await client.send(`${head}content-length: 7\r\n\r\n{"a":1}`)
    expect((await client.answer()).json()).toEqual({ a: 1 })
    expect(await outcome(site.port, `${head}host: other\r\n\r\n${HIDDEN}`)).toEqual(REFUSED)
  })

  test('Upgrade: to an unknown protocol → the next request is answered, or the connection ends', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    const headers = { connection: 'Upgrade', upgrade: 'h2c' }
    const first = requestOf('POST', '/echo', { headers, body: { a: 1 } })
    await client.send(first + String(requestOf('GET', '/echo?b=2')))
    const answer = await client.answer()
    expect(answer.json()).toEqual({ a: 1 })
    if (answer.headers.connection === 'close') await client.closed
    else expect((await client.answer()).json()).toEqual({ b: '2' })
  })
}
