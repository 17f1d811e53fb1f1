/** Part of the adapter contract: RFC 6455 on the wire, and WebSockets whose peer or server ends. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Client, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import { openSocket } from '../_support/web-socket.ts'
import type { Adapter } from './adapter.ts'

const LONG_MS = 60_000
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0x0, 0x1, 0x2, 0x8, 0x9, 0xa] as const

const TREE = {
  'index.ts': code(`
    export class Echo extends Endpoint {
      MESSAGE(data) { typeof data === 'string' ? this.socket.sendText(data) : this.socket.send(data) }
      DISCONNECT(code) { this.services.stage.say('left ' + code) }
    }
    export class Slow extends Endpoint {
      async CONNECT() {
        this.call.signal.addEventListener('abort', () => this.services.stage.say('aborted'))
        this.services.stage.say('connecting')
        await this.services.stage.heard('go')
      }
      MESSAGE(text) { return text }
      async DISCONNECT(code) {
        this.services.stage.say('left ' + code)
        await this.services.stage.heard('rest')
      }
    }
    export class Flood extends Endpoint {
      MESSAGE(text) { for (let i = 0; i < 64; i++) this.socket.sendText('x'.repeat(1_000_000)) }
      DISCONNECT(code) { this.services.stage.say('left ' + code) }
    }
    export class Plain extends Endpoint { GET() { return 'plain' } }`),
}

/** Returns one frame of a client. */
function frame(
  opcode: number,
  payload: string | Uint8Array,
  { fin = true, rsv = 0, masked = true } = {},
): Buffer {
  const body = Buffer.from(payload as string)
  const extended =
    body.length < 126
      ? Buffer.alloc(0)
      : body.length < 65_536
        ? Buffer.from([body.length >> 8, body.length & 0xff])
        : Buffer.from([0, 0, 0, 0, ...new Uint8Array(new Uint32Array([body.length]).buffer).reverse()])
  const size = body.length < 126 ? body.length : body.length < 65_536 ? 126 : 127
  const mask = Buffer.from([0x12, 0x34, 0x56, 0x78])
  const head = Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode, (masked ? 0x80 : 0) | size])
  if (!masked) return Buffer.concat([head, extended, body])
  return Buffer.concat([head, extended, mask, body.map((byte, i) => byte ^ (mask[i % 4] as number))])
}

/** Returns one frame of a server. */
function answerFrame(opcode: number, payload: string | Uint8Array): Buffer {
  return frame(opcode, payload, { masked: false })
}

const closeWith = (code: number, reason = ''): Buffer =>
  Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)])

const handshake = (path: string, headers: Record<string, string> = {}): Buffer =>
  requestOf('GET', path, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': KEY,
      'sec-websocket-version': '13',
      ...headers,
    },
  })

async function connectRaw(port: number, path = '/echo'): Promise<Client> {
  const client = await Client.connect(port)
  await client.send(handshake(path))
  expect((await client.answer()).status).toBe(101)
  return client
}

export function socketFrameCases({ start, differences }: Adapter): void {
  describe('handshake', () => {
    test('accept key → that of the RFC; no compression; no subprotocol that was not offered', async () => {
      const { port } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(handshake('/echo', { 'sec-websocket-extensions': 'permessage-deflate' }))
      const { status, headers } = await client.answer()
      const accept = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      expect([status, headers['sec-websocket-accept'], headers.upgrade?.toLowerCase()]).toEqual([
        101,
        accept,
        'websocket',
      ])
      expect([headers['sec-websocket-extensions'], headers['sec-websocket-protocol']]).toEqual([
        undefined,
        undefined,
      ])
    })

    test.each([
      ['another version', { 'sec-websocket-version': '8' }, 426],
      ['no version', { 'sec-websocket-version': '' }, 426],
      ['a short key', { 'sec-websocket-key': 'abc' }, 426],
      ['a malformed key', { 'sec-websocket-key': '*'.repeat(24) }, 426],
      ['a subprotocol twice', { 'sec-websocket-protocol': 'waybill, waybill' }, 400],
      ['an empty subprotocol', { 'sec-websocket-protocol': 'waybill,,x' }, 400],
    ])('%s → %i', async (_what, headers, status) => {
      const { port } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(handshake('/echo', headers as unknown as Record<string, string>))
      expect((await client.answer()).status).toBe(status)
    })

    test('a class without WebSockets → the request is answered', async () => {
      const { port } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(handshake('/plain'))
      expect((await client.answer()).json()).toBe('plain')
    })
  })

  describe('frames', () => {
    const twice = (payload: string): [Buffer, Buffer] => [frame(TEXT, payload), answerFrame(TEXT, payload)]
    const emoji = Buffer.from('κόσμε 🎉')
    test.each<[string, Uint8Array[], Buffer]>([
      ...[0, 1, 125, 126, 127, 128, 65_535, 65_536].map((size): [string, Uint8Array[], Buffer] => {
        const [sent, expected] = twice('*'.repeat(size))
        return [`a text of ${size} bytes`, [sent], expected]
      }),
      [
        'bytes of every value',
        [
          frame(
            BINARY,
            Uint8Array.from({ length: 256 }, (_, i) => i),
          ),
        ],
        answerFrame(
          BINARY,
          Uint8Array.from({ length: 256 }, (_, i) => i),
        ),
      ],
      [
        'a frame byte by byte',
        [...frame(TEXT, 'slow')].map((byte) => Uint8Array.of(byte)),
        answerFrame(TEXT, 'slow'),
      ],
      [
        'fragments',
        [
          frame(TEXT, 'a', { fin: false }),
          frame(CONTINUATION, 'b', { fin: false }),
          frame(CONTINUATION, 'c'),
        ],
        answerFrame(TEXT, 'abc'),
      ],
      [
        'empty fragments',
        [frame(TEXT, '', { fin: false }), frame(CONTINUATION, '', { fin: false }), frame(CONTINUATION, '')],
        answerFrame(TEXT, ''),
      ],
      [
        'a ping between fragments',
        [frame(TEXT, 'a', { fin: false }), frame(PING, 'p'), frame(CONTINUATION, 'b')],
        Buffer.concat([answerFrame(PONG, 'p'), answerFrame(TEXT, 'ab')]),
      ],
      ['a ping of 125 bytes', [frame(PING, 'p'.repeat(125))], answerFrame(PONG, 'p'.repeat(125))],
      [
        'ten pings in a packet',
        [Buffer.concat(Array.from({ length: 10 }, (_, i) => frame(PING, String(i))))],
        Buffer.concat(Array.from({ length: 10 }, (_, i) => answerFrame(PONG, String(i)))),
      ],
      [
        'a pong without a ping, then a text',
        [frame(PONG, 'x'), frame(TEXT, 'next')],
        answerFrame(TEXT, 'next'),
      ],
      [
        'a code point split over fragments',
        [...emoji].map((byte, i) =>
          frame(i === 0 ? TEXT : CONTINUATION, Uint8Array.of(byte), { fin: i === emoji.length - 1 }),
        ),
        answerFrame(TEXT, emoji),
      ],
      [
        'noncharacters U+FFFE, U+10FFFF',
        [frame(TEXT, '\ufffe\u{10ffff}')],
        answerFrame(TEXT, '\ufffe\u{10ffff}'),
      ],
      [
        'two texts in a packet',
        [Buffer.concat([frame(TEXT, '1'), frame(TEXT, '2')])],
        Buffer.concat([answerFrame(TEXT, '1'), answerFrame(TEXT, '2')]),
      ],
    ])('%s → answered', async (_what, parts, expected) => {
      const { port, log } = await start(TREE)
      const client = await connectRaw(port)
      await client.sendParts(parts)
      await client.arrived(expected)
      expect(log.lines).toEqual([])
    })

    const cut = differences.cutsOnWebSocketFaults
    const more: [string, number, Uint8Array[]][] = differences.overlooksWebSocketFaults
      ? []
      : [
          ['a frame without mask', 1002, [frame(TEXT, 'x', { masked: false })]],
          ['a close frame of one byte', 1002, [frame(CLOSE, 'x')]],
        ]
    test.each<[string, number, Uint8Array[]]>([
      ...[1, 2, 4].map((rsv): [string, number, Uint8Array[]] => [
        `reserved bits ${rsv}`,
        1002,
        [frame(TEXT, 'x', { rsv })],
      ]),
      ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, number, Uint8Array[]] => [
        `reserved opcode ${opcode}`,
        1002,
        [frame(opcode, '')],
      ]),
      ['a fragmented ping', 1002, [frame(PING, 'x', { fin: false })]],
      ['a ping of 126 bytes', 1002, [frame(PING, 'x'.repeat(126))]],
      ['a continuation of nothing', 1002, [frame(CONTINUATION, 'x')]],
      ['a new text within fragments', 1002, [frame(TEXT, 'a', { fin: false }), frame(TEXT, 'b')]],
      ['an overlong code', 1007, [frame(TEXT, Uint8Array.of(0xc0, 0xaf))]],
      ['a surrogate', 1007, [frame(TEXT, Uint8Array.of(0xed, 0xa0, 0x80))]],
      ['a code point beyond U+10FFFF', 1007, [frame(TEXT, Uint8Array.of(0xf4, 0x90, 0x80, 0x80))]],
      ['a truncated code point', 1007, [frame(TEXT, emoji.subarray(0, -1))]],
      [
        'a truncated code point in fragments',
        1007,
        [frame(TEXT, Uint8Array.of(0xe2), { fin: false }), frame(CONTINUATION, 'x')],
      ],
      ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map(
        (wrong): [string, number, Uint8Array[]] => [
          `close code ${wrong}`,
          1002,
          [frame(CLOSE, closeWith(wrong))],
        ],
      ),
      [
        'a close reason that is not UTF-8',
        1007,
        [frame(CLOSE, Buffer.concat([closeWith(1000), Uint8Array.of(0xc0, 0xaf)]))],
      ],
      ...more,
    ])(`%s → ${cut ? 'cut' : 'closed with %i'}, DISCONNECT`, async (_what, expected, parts) => {
      const { port, log, stage } = await start(TREE)
      const client = await connectRaw(port)
      await client.sendParts(parts)
      if (!cut) await client.arrived(Buffer.from([0x88, 2, expected >> 8, expected & 0xff]))
      await client.closed
      await stage.heard('left 1006')
      expect(log.lines).toEqual([])
    })

    const registered = differences.refusesRegisteredCloseCodes ? [] : [3000, 3999]
    test.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, ...registered, 4000, 4999])(
      'close code %i → echoed, DISCONNECT with it',
      async (valid) => {
        const { port, stage } = await start(TREE)
        const client = await connectRaw(port)
        await client.send(frame(CLOSE, closeWith(valid, 'why')))
        await client.arrived(Buffer.from([0x88]))
        await stage.heard(`left ${valid}`)
        await client.closed
      },
    )

    test('a close frame without code → DISCONNECT with 1005; frames behind it → ignored', async () => {
      const { port, stage } = await start(TREE)
      const client = await connectRaw(port)
      await client.send(Buffer.concat([frame(TEXT, 'first'), frame(CLOSE, ''), frame(TEXT, 'behind')]))
      await client.arrived(answerFrame(TEXT, 'first'))
      await stage.heard('left 1005')
      await client.closed
    })
  })

  describe('ends', () => {
    test('the peer is gone without a close frame → DISCONNECT with 1006', async () => {
      const { port, stage } = await start(TREE)
      const client = await connectRaw(port)
      await client.leave()
      await stage.heard('left 1006')
    })

    test('the peer leaves while CONNECT runs → the signal aborts, DISCONNECT with 1006 after CONNECT', async () => {
      const { port, stage, log } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(handshake('/slow'))
      await stage.heard('connecting')
      await client.leave()
      await stage.heard('aborted')
      stage.say('go')
      await stage.heard('left 1006')
      expect(log.lines).toEqual([])
    })

    test('a peer that does not read → closed with 1013', async () => {
      const { port, stage } = await start(TREE)
      const client = await connectRaw(port, '/flood')
      client.pause()
      await client.send(frame(TEXT, 'go'))
      await stage.heard('left 1013')
      client.resume()
      await client.arrived(Buffer.concat([Buffer.from([0x88, 2]), closeWith(1013)]))
    })

    test('two pings without an answer → cut, DISCONNECT with 1006', async () => {
      let tick = (): void => {}
      const { port, stage } = await start(TREE, {
        every: (_ms, run) => {
          tick = run
          return () => {}
        },
      })
      const client = await connectRaw(port)
      for (let i = 0; i < 3; i++) tick()
      await stage.heard('left 1006')
      await client.closed
    })

    test('the server stops → closed with 1001, and the stop waits for DISCONNECT', async () => {
      const { port, server, stage } = await start(TREE)
      stage.say('go')
      const socket = await openSocket(port, '/slow')
      let isStopped = false
      const stopped = server.close(LONG_MS).then(() => {
        isStopped = true
      })
      expect(await socket.closed).toBe(1001)
      await stage.heard('left 1001')
      expect(isStopped).toBe(false)
      stage.say('rest')
      await stopped
    })

    test('the server stops while CONNECT runs → closed with 1001 after the upgrade', async () => {
      const { port, server, stage } = await start(TREE)
      stage.say('rest')
      const opening = openSocket(port, '/slow')
      await stage.heard('connecting')
      const stopped = server.close(LONG_MS)
      stage.say('go')
      expect(await (await opening).closed).toBe(1001)
      await stopped
    })

    test('DISCONNECT, or CONNECT, outlasts the grace period → the stop does not wait', async () => {
      const { port, server, stage } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(handshake('/slow'))
      await stage.heard('connecting')
      await server.close(1)
      await client.closed
      stage.say('go')
      await stage.heard('left 1006')
    })
  })
}
