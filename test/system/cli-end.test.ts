/** The end of a server: it stops accepting, finishes running requests and exits within 5 s with code 0. */
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { logIn } from '../_support/rest.ts'
import { LOCAL, type Server, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

/** A class that reports that it runs, waits for the signal, and answers once the port refuses connections. */
const WORK = `
import { pbkdf2, pbkdf2Sync } from 'node:crypto'
import { connect } from 'node:net'
import { Endpoint } from 'waybill'

function refused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(false) })
    socket.once('error', () => resolve(true))
  })
}

export class Work extends Endpoint {
  async GET(port: string) {
    const signal = new Promise((resolve) => {
      process.once('SIGTERM', resolve)
      process.once('SIGINT', resolve)
    })
    console.log(JSON.stringify({ level: 'info', msg: 'at work' }))
    await signal
    for (let tries = 0; tries < 1000; tries++) if (await refused(Number(port))) return 'done'
    return 'still accepting'
  }
}

export class Busy extends Endpoint {
  /** Gives each of the four threads two tasks of a quarter of a second, on a machine as fast as now. */
  GET() {
    const from = performance.now()
    pbkdf2Sync('password', 'salt', 20_000, 32, 'sha256')
    const iterations = Math.ceil((20_000 * 250) / (performance.now() - from))
    for (let n = 0; n < 8; n++) pbkdf2('password', 'salt', iterations, 32, 'sha256', () => {})
    return 'busy'
  }
}

export class Hang extends Endpoint {
  GET() {
    console.log(JSON.stringify({ level: 'info', msg: 'at work' }))
    return new Promise(() => {})
  }
}`

function startWork(adapter: string): Promise<Server> {
  return startServer({ args: [...LOCAL, '--adapter', adapter, '--prefix', writeTree({ 'index.ts': WORK })] })
}

const atWork = ({ msg }: { msg: string }): boolean => msg === 'at work'

function stopLines({ log }: Server): readonly string[] {
  return log.map(({ msg }) => msg).filter((msg) => /stop/.test(msg))
}

describe.each(ADAPTERS)('adapter %s', (adapter) => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: a request is running → it is answered, new ones are refused',
    async (signal) => {
      const server = await startWork(adapter)
      const answer = fetch(`${server.url}/work/${new URL(server.url).port}`)
      await server.logged(atWork)
      const ended = server.kill(signal)
      const response = await answer
      expect(response.status).toBe(200)
      expect(await response.json()).toBe('done')
      expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
      expect(stopLines(server)).toEqual([`${signal}: stopping`, 'stopped'])
    },
  )

  test('SIGTERM: the threads that write the log are busy → its lines are in order', async () => {
    const server = await startWork(adapter)
    await fetch(`${server.url}/busy`)
    expect(await server.kill()).toMatchObject({ code: 0, stderr: '' })
    expect(stopLines(server)).toEqual(['SIGTERM: stopping', 'stopped'])
  })

  test('SIGTERM: a request hangs → exit code 0 within 5 s', async () => {
    const server = await startWork(adapter)
    const answer = fetch(`${server.url}/hang`)
    await server.logged(atWork)
    const from = performance.now()
    const [ended] = await Promise.all([server.kill(), expect(answer).rejects.toThrow('fetch failed')])
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - from).toBeLessThan(5_000)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '%s: a message was answered → pending after the restart',
    async (signal) => {
      const options = { dataDir: temporaryDirectory(), env: { ADMIN_PASSWORD: 'secret' } }
      const args = [...LOCAL, '--adapter', adapter]
      const before = await startServer({ ...options, args })
      const producer = await logIn(before.url, 'admin', 'secret')
      const { body } = await producer.put('/producer/request/lamp', { command: 'on', data: { level: 3 } })
      await before.kill(signal)
      const after = await startServer({ ...options, args })
      const device = await logIn(after.url, 'admin', 'secret')
      const { id } = body as { id: number }
      expect((await device.get(`/producer/getMessageStatus/${id}`)).body).toEqual({
        deliveryStatus: 'NOT_DELIVERED',
      })
      expect((await device.get('/consumer/getLastMessage/lamp')).body).toMatchObject([
        { id, data: { level: 3 } },
      ])
    },
  )

  test('token: made before a restart → valid after it', async () => {
    const options = { args: [...LOCAL, '--adapter', adapter], dataDir: temporaryDirectory() }
    const before = await startServer({ ...options, env: { ADMIN_PASSWORD: 'secret' } })
    const login = await fetch(`${before.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviseId: 'admin', password: 'secret' }),
    })
    const { accessToken } = (await login.json()) as { accessToken: string }
    expect(await before.kill()).toMatchObject({ code: 0 })
    const after = await startServer(options)
    const me = await fetch(`${after.url}/auth/me`, { headers: { authorization: `Bearer ${accessToken}` } })
    expect(await me.json()).toEqual({ deviseId: 'admin', role: 'MAN' })
  })
})
