/** The log of a start: its address, its data directory, how to log in; as JSON lines, and never a secret. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { logIn } from '../_support/rest.ts'
import { type CommandOptions, LOCAL, type Server, startServer } from '../_support/server.ts'

const start = (options: CommandOptions = {}): Promise<Server> =>
  startServer({ dataDir: temporaryDirectory(), ...options })

const said = ({ log }: Server): string[] => log.map(({ msg }) => msg)

test('log of a start: an empty data directory → secret, admin, directory, MQTT, endpoints, adapter, address', async () => {
  const dataDir = temporaryDirectory()
  const server = await start({ args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0'], dataDir })
  expect(said(server)).toEqual([
    `JWT_SECRET is not set: a secret was created and is kept in ${dataDir}/jwt-secret`,
    expect.stringMatching(/^first admin: id "admin", password "[\w-]{20}" \(shown this once, keep it\)$/),
    `messages are kept in ${dataDir}`,
    expect.stringMatching(/^MQTT 3\.1, 3\.1\.1 and 5 on mqtt:\/\/127\.0\.0\.1:[1-9]\d+$/),
    'endpoints of the broker (@broker)',
    'API description at /v3/api-docs, its page at /swagger-ui (@docs)',
    'HTTP adapter node: strict, no native add-on',
    `listening on ${server.url}`,
  ])
})

test('port: 0 → a free port, named in the log', async () => {
  const { url } = await start()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
  expect(await (await fetch(url)).text()).toContain('<title>Waybill</title>')
})

test('--adapter uws: a start → the same page, and a line about its use', async () => {
  const server = await start({ args: [...LOCAL, '--adapter', 'uws'] })
  expect(said(server)).toContain('HTTP adapter uws: faster; keep it in a trusted network or behind a proxy')
  expect(await (await fetch(server.url)).text()).toContain('<title>Waybill</title>')
})

test('settings: no flags → values of environment and file', async () => {
  const config = join(temporaryDirectory(), 'waybill.yaml')
  writeFileSync(config, 'server.port: 0')
  const env = { REST_SERVER_ADDRESS: 'localhost', MQTT_ADDRESS: 'off', WAYBILL_CONFIG: config }
  const { url } = await start({ args: [], env })
  expect(url).toMatch(/^http:\/\/localhost:[1-9]\d+$/)
  expect((await fetch(url)).status).toBe(200)
})

test('data directory: no flag → ./data, for the owner only', async () => {
  const cwd = temporaryDirectory()
  await startServer({ cwd, args: ['--host', ':0', '--mqtt', 'off'] })
  const mode = (path: string): string => (statSync(join(cwd, path)).mode & 0o777).toString(8)
  expect(mode('data')).toBe('700')
  expect(mode('data/waybill.db')).toBe('600')
  expect(mode('data/jwt-secret')).toBe('600')
})

describe('first admin', () => {
  const ADMIN = /^first admin/
  const password = (server: Server): string => /password "(\S+)"/.exec(said(server).join('\n'))?.[1] ?? ''

  test('no settings → a random password, printed at the first start only', async () => {
    const dataDir = temporaryDirectory()
    const first = await start({ dataDir })
    const { body } = await (await logIn(first.url, 'admin', password(first))).get('/auth/me')
    expect(body).toEqual({ deviseId: 'admin', role: 'MAN' })
    await first.kill()
    const second = await start({ dataDir })
    expect(said(second).filter((line) => ADMIN.test(line))).toEqual([])
    await logIn(second.url, 'admin', password(first))
  })

  test('two data directories → two passwords', async () => {
    expect(password(await start())).not.toBe(password(await start()))
  })

  test('id and password in the settings → used, not printed', async () => {
    const env = { ADMIN_ID: 'chief', ADMIN_PASSWORD: 'chosen-by-hand' }
    const server = await start({ env })
    expect(said(server)).toContain('first admin: id "chief", password as configured')
    await logIn(server.url, 'chief', 'chosen-by-hand')
    await expect(logIn(server.url, 'admin', 'chosen-by-hand')).rejects.toThrow('401')
  })
})

describe('log', () => {
  test('any line → a JSON object with level and time', async () => {
    const server = await start()
    const { stdout, stderr } = await server.kill()
    expect(stderr).toBe('')
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBe(server.log.length)
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(info|warn)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        msg: expect.any(String),
      })
    }
  })

  test('level trace, several logins → no secret', async () => {
    const dataDir = temporaryDirectory()
    const env = { ADMIN_PASSWORD: 'very-secret-word', JWT_SECRET: 'a-secret-of-at-least-thirty-two-bytes' }
    const server = await start({ dataDir, env: { ...env, WAYBILL_LOG_LEVEL: 'trace' } })
    const admin = await logIn(server.url, 'admin', env.ADMIN_PASSWORD)
    await admin.put('/producer/request/lamp', { command: 'on' })
    await expect(logIn(server.url, 'admin', 'very-wrong-word')).rejects.toThrow('401')
    const { stdout, stderr } = await server.kill()
    for (const secret of [...Object.values(env), 'very-wrong-word', 'eyJ'])
      expect(stdout + stderr).not.toContain(secret)
    const made = await start({ dataDir: join(dataDir, 'made'), env: { WAYBILL_LOG_LEVEL: 'trace' } })
    const secret = readFileSync(join(dataDir, 'made/jwt-secret'), 'utf8')
    expect((await made.kill()).stdout).not.toContain(secret)
  })

  test('level debug → lines about a message have its id', async () => {
    const env = { ADMIN_PASSWORD: 'secret', WAYBILL_LOG_LEVEL: 'debug' }
    const server = await start({ env })
    const admin = await logIn(server.url, 'admin', 'secret')
    const { body } = await admin.put('/producer/request/lamp', { command: 'on' })
    const { id } = body as { id: number }
    await admin.get('/consumer/getLastMessage/lamp')
    await admin.post('/consumer/request/lamp', { id, deliveryStatus: 'COMPLETED' })
    await server.kill()
    const about = server.log.filter(({ level }) => level === 'debug')
    expect(about.map(({ msg, messageId }) => [msg, messageId])).toEqual([
      ['message stored', id],
      ['message dispatched', id],
      ['message acknowledged', id],
    ])
  })
})
