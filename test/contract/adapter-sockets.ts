/** Part of the adapter contract: WebSockets of classes, over a real connection and over `inject.socket`. */
import { describe, expect, test } from 'vitest'
import { chat, ECHO } from '../_support/chat-tree.ts'
import { code } from '../_support/trees.ts'
import type { ReachSockets } from './adapter.ts'

export function socketCases(reach: ReachSockets): void {
  describe('arguments', () => {
    const files = chat(
      `CONNECT(room, { since }) { this.room = room; this.socket.send({ room, since }) }
       MESSAGE({ text, times }) { return [this.room, text, times] }`,
      `static access = 'public'
       static positionals = { CONNECT: [Type.Integer()] }
       static keywords = {
         CONNECT: Type.Object({ since: Type.Integer({ default: 0 }) }),
         MESSAGE: Type.Object({ text: Type.String(), times: Type.Integer({ default: 1 }) }),
       }`,
    )

    test('path and query → CONNECT, checked and converted; members of a message → MESSAGE', async () => {
      const { connect } = await reach(files)
      const socket = await connect('/chat/7?since=3')
      expect((await socket.next()).json()).toEqual({ room: 7, since: 3 })
      socket.send({ text: 'hi' })
      expect((await socket.next()).json()).toEqual([7, 'hi', 1])
    })

    test.each([
      ['/chat/one', 400, '"room" in the path is not valid: expected an integer.'],
      ['/chat/1?since=x', 400, 'Parameter "since" is not valid: expected an integer.'],
      ['/chat/1/2', 404, expect.stringContaining('/chat/1/2')],
    ])('%s → %i', async (path, status, message) => {
      const { connect } = await reach(files)
      await expect(connect(path)).rejects.toMatchObject({ status, message })
    })

    test.each([
      ['not JSON', 'The message is not valid JSON'],
      ['[1]', 'The message must be a JSON object'],
      ['{}', 'Parameter "text" is missing: expected a string.'],
      ['{"text":1}', 'Parameter "text" is not valid: expected a string, not a number.'],
      [new Uint8Array([1]), 'The message is binary. Send JSON as text.'],
    ])('message %s → an error, and the next message is answered', async (message, text) => {
      const { connect, log } = await reach(files)
      const socket = await connect('/chat/7')
      await socket.next()
      socket.send(message)
      const problem = { error: 'Bad Request', message: expect.stringContaining(text) }
      expect((await socket.next()).json()).toEqual(problem)
      socket.send({ text: 'hi', times: 2 })
      expect((await socket.next()).json()).toEqual([7, 'hi', 2])
      expect(log.lines).toEqual([])
    })

    test('a plain parameter → the text or the bytes; both come back as they were', async () => {
      const { connect } = await reach(
        chat(
          "MESSAGE(data) { typeof data === 'string' ? this.socket.sendText(data) : this.socket.send(data) }",
        ),
      )
      const socket = await connect('/chat')
      socket.send('grüß {')
      expect((await socket.next()).text()).toBe('grüß {')
      socket.send(new Uint8Array([0, 255]))
      const answer = await socket.next()
      expect([answer.isBinary, [...answer.bytes]]).toEqual([true, [0, 255]])
    })

    test('a text with half a surrogate pair → arrives as U+FFFD', async () => {
      const { connect } = await reach(
        chat(String.raw`MESSAGE(data) { this.socket.sendText('a\ud83d'); this.socket.sendText('b\udca7c') }`),
      )
      const socket = await connect('/chat')
      socket.send('text')
      expect((await socket.next()).text()).toBe('a\ufffd')
      expect((await socket.next()).text()).toBe('b\ufffdc')
    })

    test('a class without MESSAGE, and a message → an error', async () => {
      const { connect } = await reach(chat('CONNECT() {}'))
      const socket = await connect('/chat')
      socket.send('hello')
      expect((await socket.next()).json()).toMatchObject({ error: 'Bad Request' })
    })

    test('MESSAGE returns undefined → nothing is sent', async () => {
      const { connect } = await reach(chat('MESSAGE({ text }) { if (text) return { text } }'))
      const socket = await connect('/chat')
      socket.send({ text: '' })
      socket.send({ text: 'second' })
      expect((await socket.next()).json()).toEqual({ text: 'second' })
    })
  })

  describe('order', () => {
    test('MESSAGE takes time → the next message waits, and DISCONNECT comes last', async () => {
      const { connect, stage, send } = await reach(
        chat(`async MESSAGE(text) {
            this.services.seen.push('begin ' + text)
            if (text === 'a') await this.services.stage.heard('go')
            this.services.seen.push('end ' + text)
            return text
          }
          DISCONNECT(code) { this.services.seen.push(code); this.services.stage.say('left') }`),
      )
      const socket = await connect('/chat')
      socket.send('a')
      socket.send('b')
      const closed = socket.close(4001)
      stage.say('go')
      await closed
      await stage.heard('left')
      expect((await send('GET', '/chat/seen')).json()).toEqual(['begin a', 'end a', 'begin b', 'end b', 4001])
    })

    test('each connection → an instance of its own', async () => {
      const { connect } = await reach(chat('count = 0\nMESSAGE() { return ++this.count }'))
      const [one, two] = [await connect('/chat'), await connect('/chat')]
      for (const socket of [one, one, two]) socket.send('x')
      expect([(await one.next()).json(), (await one.next()).json(), (await two.next()).json()]).toEqual([
        1, 2, 1,
      ])
    })

    test('messages beyond 4 MiB wait → closed with 1013', async () => {
      const { connect, stage } = await reach(
        chat("async MESSAGE() { await this.services.stage.heard('go') }"),
      )
      const socket = await connect('/chat')
      for (let i = 0; i < 6; i++) socket.send('x'.repeat(1_000_000))
      await expect(socket.next()).rejects.toThrow('1013')
      stage.say('go')
    })

    test('a message of 1 MiB → handled; one byte more → closed with 1009', async () => {
      const { connect, stage, send } = await reach(
        chat(`MESSAGE(text) { return text.length }
          DISCONNECT(code) { this.services.seen.push(code); this.services.stage.say('left') }`),
      )
      const socket = await connect('/chat')
      socket.send('x'.repeat(1_048_576))
      expect((await socket.next()).json()).toBe(1_048_576)
      socket.send('x'.repeat(1_048_577))
      await expect(socket.next()).rejects.toThrow('1009')
      await stage.heard('left')
      expect((await send('GET', '/chat/seen')).json()).toEqual([1009])
    })
  })

  describe('CONNECT', () => {
    test.each([
      ['throws', "CONNECT() { throw new HttpError(409, 'full') }", 409, 'full'],
      ['rejects', "async CONNECT() { await null; throw new HttpError(409, 'full') }", 409, 'full'],
      ['returns a reply', "CONNECT() { return new Reply(403, { message: 'not you' }) }", 403, 'not you'],
    ])('%s → that answer, no DISCONNECT', async (_what, members, status, message) => {
      const { connect, send, log } = await reach(
        chat(`${members}\nDISCONNECT(code) { this.services.seen.push(code) }`),
      )
      await expect(connect('/chat')).rejects.toMatchObject({ status, message })
      expect((await send('GET', '/chat/seen')).json()).toEqual([])
      expect(log.lines).toEqual([])
    })

    test('throws an unexpected error → 500 and a log line', async () => {
      const { connect, log } = await reach(chat("CONNECT() { throw new Error('broken') }"))
      await expect(connect('/chat')).rejects.toMatchObject({ status: 500 })
      expect(log.lines).toHaveLength(1)
    })

    test('sends and waits → the values arrive after the upgrade, in order', async () => {
      const { connect } = await reach(
        chat(
          "async CONNECT() { this.socket.send(1); await null; this.socket.sendText('two') }\nMESSAGE(a) { return a }",
        ),
      )
      const socket = await connect('/chat')
      socket.send('three')
      const texts = [await socket.next(), await socket.next(), await socket.next()].map((each) => each.text())
      expect(texts).toEqual(['1', 'two', '"three"'])
    })

    test('closes → the upgrade, the values, then the code', async () => {
      const { connect } = await reach(chat("CONNECT() { this.socket.send('bye'); this.socket.close(4000) }"))
      const socket = await connect('/chat')
      expect((await socket.next()).json()).toBe('bye')
      await expect(socket.next()).rejects.toThrow('4000')
    })
  })

  describe('ends', () => {
    test('MESSAGE throws → logged, closed with 1011, DISCONNECT with 1011', async () => {
      const { connect, log, stage, send } = await reach(
        chat(`MESSAGE() { throw new Error('broken') }
          DISCONNECT(code) { this.services.seen.push(code); this.services.stage.say('left') }`),
      )
      const socket = await connect('/chat')
      socket.send('x')
      await expect(socket.next()).rejects.toThrow('1011')
      await stage.heard('left')
      expect((await send('GET', '/chat/seen')).json()).toEqual([1011])
      expect(log.lines).toMatchObject([{ level: 'error', fields: { request: 'MESSAGE /chat' } }])
    })

    test.each([
      ['a function', '() => {}'],
      ['a BigInt', '1n'],
      ['a Reply', 'new Reply(200, 1)'],
      ['a stream', '(async function* () {})()'],
    ])('MESSAGE returns %s → logged, closed with 1011', async (_what, value) => {
      const { connect, log } = await reach(chat(`MESSAGE() { return ${value} }`))
      const socket = await connect('/chat')
      socket.send('x')
      await expect(socket.next()).rejects.toThrow('1011')
      expect(log.lines).toHaveLength(1)
    })

    test('DISCONNECT throws → logged', async () => {
      const { connect, log, stage } = await reach(
        chat("DISCONNECT() { this.services.stage.say('left'); throw new Error('broken') }"),
      )
      await (await connect('/chat')).close()
      await stage.heard('left')
      await Promise.resolve()
      expect(log.lines).toMatchObject([{ fields: { request: 'DISCONNECT /chat' } }])
    })

    test('close: a code that may not be sent → throws, and names those that may', async () => {
      const { connect } = await reach(
        chat('MESSAGE({ code }) { try { this.socket.close(code) } catch (error) { return error.message } }'),
      )
      const socket = await connect('/chat')
      for (const wrong of [1005, 1006, 999, 5000, 1000.5]) {
        socket.send({ code: wrong })
        expect((await socket.next()).json()).toMatch(/^\S+ is no close code that may be sent/)
      }
      socket.send({ code: 3000 })
      await expect(socket.next()).rejects.toThrow('3000')
    })

    test('the signal of the call → aborts', async () => {
      const { connect, stage } = await reach(
        chat(
          "CONNECT() { this.call.signal.addEventListener('abort', () => this.services.stage.say('aborted')) }",
        ),
      )
      await (await connect('/chat')).close()
      await stage.heard('aborted')
    })
  })

  describe('beside requests', () => {
    test('GET of a class that has it → answered; of one without → 426; others → 405; CONNECT → never found', async () => {
      const { send, connect } = await reach({
        ...chat(`GET() { return 'get' }\n${ECHO}`),
        'only.ts': code(`export class Default extends Endpoint { static access = 'public'; ${ECHO} }`),
        'any.ts': code(
          "export class Default extends Endpoint { static access = 'public'; ANY() { return 'any' } }",
        ),
      })
      expect((await send('GET', '/chat')).json()).toBe('get')
      const only = await send('GET', '/only')
      expect([only.status, only.headers.upgrade, only.headers['sec-websocket-version']]).toEqual([
        426,
        'websocket',
        '13',
      ])
      expect((await send('POST', '/only')).status).toBe(405)
      expect((await send('OPTIONS', '/chat')).headers.allow).toBe('GET, HEAD, OPTIONS')
      await expect(connect('/any')).rejects.toThrow()
      await connect('/chat')
    })
  })

  describe('pings', () => {
    test('every 30 s; answered → the connection stays', async () => {
      const timers: [number, () => void][] = []
      const { connect } = await reach(chat('MESSAGE(a) { return a }'), {
        every: (ms, run) => {
          timers.push([ms, run])
          return () => {}
        },
      })
      const socket = await connect('/chat')
      expect(timers.map(([ms]) => ms)).toEqual([30_000])
      for (let i = 0; i < 4; i++) {
        timers[0]?.[1]()
        socket.send('alive')
        expect((await socket.next()).json()).toBe('alive')
      }
    })
  })
}
