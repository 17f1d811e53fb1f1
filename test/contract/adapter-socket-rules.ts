/** Part of the adapter contract: access, subprotocols, origins, limits and hooks of WebSockets. */
import { expect, test } from 'vitest'
import { chat, ECHO, GUARD, upgradeHeaders } from '../_support/chat-tree.ts'
import { code } from '../_support/trees.ts'
import type { ReachSockets } from './adapter.ts'

export function socketRuleCases(reach: ReachSockets): void {
  const guarded = chat(ECHO, "static access = 'MAN'")

  test.each([
    ['no token', {}, 401],
    ['a token without the role', { authorization: 'Bearer ann' }, 403],
  ])('access: %s → %i', async (_what, headers, status) => {
    const { connect } = await reach(guarded)
    await expect(connect('/chat', { headers })).rejects.toMatchObject({ status })
  })

  test.each([
    ['the header', { authorization: 'Bearer ann MAN' }, ''],
    ['a subprotocol', { 'sec-websocket-protocol': 'waybill, bearer.ann~MAN' }, 'waybill'],
  ])('access: the token in %s → connected', async (_what, headers, protocol) => {
    const { connect } = await reach(guarded)
    const socket = await connect('/chat', upgradeHeaders(headers as Record<string, string>))
    expect(socket.protocol).toBe(protocol)
    socket.send({ text: 'hi' })
    expect((await socket.next()).json()).toEqual({ echo: 'hi' })
  })

  test.each([
    ['v1, v2', 'v2'],
    ['v1', 'v1'],
    ['waybill, bearer.ann~MAN, v1', 'v1'],
    ['other, waybill', 'waybill'],
  ])(
    'subprotocols of the class: %s offered → "%s" selected, and the class knows',
    async (offered, selected) => {
      const { connect } = await reach(
        chat(
          'MESSAGE() { return this.socket.protocol }',
          "static access = 'public'; static subprotocols = ['v2', 'v1']",
        ),
      )
      const headers = { 'sec-websocket-protocol': offered }
      const socket = await connect('/chat', upgradeHeaders(headers))
      expect(socket.protocol).toBe(selected)
      socket.send({})
      expect((await socket.next()).json()).toBe(selected)
    },
  )

  test('access by verb: GET → holds for the upgrade, also without a method GET', async () => {
    const { connect } = await reach(chat(ECHO, "static access = { GET: 'MAN' }"))
    await expect(connect('/chat')).rejects.toMatchObject({ status: 401 })
  })

  test.each(['https://evil.example', 'null'])('origin %s → 403', async (origin) => {
    for (const statics of ['', "static cors = { origins: ['https://app.example'] }"]) {
      const { connect } = await reach(chat(ECHO, `static access = 'public'\n${statics}`))
      await expect(connect('/chat', { headers: { origin } })).rejects.toMatchObject({ status: 403 })
    }
  })

  test('an allowed origin, or that of the server → connected', async () => {
    const { connect } = await reach(
      chat(ECHO, "static access = 'public'\nstatic cors = { origins: ['https://app.example'] }"),
    )
    await connect('/chat', { headers: { origin: 'https://app.example' } })
    await connect('/chat', { headers: { origin: 'https://here.example:81', host: 'here.example:81' } })
  })

  test('limit → 429 with Retry-After', async () => {
    const { connect } = await reach(
      chat(ECHO, "static access = 'public'\nstatic limit = { requests: 1, seconds: 60 }"),
      { now: () => 0 },
    )
    await connect('/chat')
    await expect(connect('/chat')).rejects.toMatchObject({
      status: 429,
      answer: { headers: { 'retry-after': '60' } },
    })
  })

  test.each([
    ['throws', "export function before() { throw new HttpError(418, 'no') }", 418],
    ['rejects', "export async function before() { await null; throw new HttpError(418, 'no') }", 418],
    ['replies', "export const before = () => new Reply(202, { message: 'no' })", 202],
  ])('before: %s → the upgrade is refused, CONNECT does not run', async (_what, before, status) => {
    const { connect, log } = await reach({
      '_services.ts': GUARD,
      'a/_folder.ts': `import { HttpError, Reply } from 'waybill'\n${before}`,
      'a/index.ts': code(
        "export class Default extends Endpoint { static access = 'public'; CONNECT() { throw new Error() } }",
      ),
    })
    await expect(connect('/a')).rejects.toMatchObject({ status, message: 'no' })
    expect(log.lines).toEqual([])
  })

  test('before: state and headers → CONNECT has them', async () => {
    const { connect } = await reach({
      '_services.ts': GUARD,
      'a/_folder.ts':
        "export const headers = ['x-trace']\nexport async function before(call) { await null; call.state.who = 'ann' }",
      'a/index.ts': code(`export class Default extends Endpoint { static access = 'public'
        CONNECT() { this.socket.send([this.call.method, this.call.state.who, this.call.headers['x-trace'], this.call.remote]) } }`),
    })
    const socket = await connect('/a', { headers: { 'x-trace': '7' } })
    expect((await socket.next()).json()).toEqual(['GET', 'ann', '7', '127.0.0.1'])
  })
}
