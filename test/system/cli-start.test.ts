/** The log of a start: its address, its data directory, how to log in; as JSON lines, and never a secret. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import type { LogLine } from '../_support/log-lines.ts'
import { logIn } from '../_support/rest.ts'
import { type CommandOptions, LOCAL, runCommand, type Server, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const start = (options: CommandOptions = {}): Promise<Server> =>
  startServer({ dataDir: temporaryDirectory(), ...options })

const ADMIN = /^first admin/

/** Waits for the line about the first admin, which follows the line with the address. */
const adminLine = (server: Server): Promise<LogLine> => server.logged(({ msg }) => ADMIN.test(msg))

const said = ({ log }: Server): string[] => log.map(({ msg }) => msg)

test('log of a start: an empty data directory → the addresses and the directory, then the first admin', async () => {
  const dataDir = temporaryDirectory()
  const server = await start({ args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0'], dataDir })
  await adminLine(server)
  expect(server.log.map(({ time, ...fields }) => fields)).toEqual([
    {
      level: 'info',
      http: server.url,
      mqtt: expect.stringMatching(/^mqtt:\/\/127\.0\.0\.1:[1-9]\d+$/),
      page: `${server.url}/`,
      dataDir,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      msg: 'listening',
    },
    {
      level: 'warn',
      deviceId: 'admin',
      password: expect.stringMatching(/^[\w-]{20}$/),
      msg: 'first admin: sign in with this id and password. Each start prints them until the first login',
    },
  ])
})

test('log of a start: all addresses of the machine → the page at one that a browser can open', async () => {
  const server = await start({ args: ['--host', '0.0.0.0:0', '--mqtt', 'off'] })
  const { port } = new URL(server.url)
  const line = await server.logged(({ msg }) => msg === 'listening')
  expect(line).toMatchObject({
    http: `http://0.0.0.0:${port}`,
    mqtt: null,
    page: `http://127.0.0.1:${port}/`,
  })
})

test('log of a start: endpoints without the broker → the address, no page and no data directory', async () => {
  const prefix = writeTree({ 'hello.js': '' })
  const server = await startServer({ args: [...LOCAL, '--prefix', prefix] })
  const line = await server.logged(({ msg }) => msg === 'listening')
  expect(line).toMatchObject({ http: server.url, mqtt: null, page: null, dataDir: null })
  expect(said(server)).toContain(`endpoints in ${prefix}`)
})

test('port: 0 → a free port, named in the log', async () => {
  const { url } = await start()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
  expect(await (await fetch(url)).text()).toContain('<title>Waybill</title>')
})

test('--adapter uws: a start → the same page, and a line about its use', async () => {
  const server = await start({ args: [...LOCAL, '--adapter', 'uws'] })
  expect(said(server)).toContain('HTTP adapter uws: keep it in a trusted network or behind a proxy')
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

test('a start that fails: an endpoint file has a timer → the process ends', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  whenDone(() => other.close())
  await once(other, 'listening')
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const prefix = writeTree({ 'hello.js': 'setInterval(() => {}, 1_000)' })
  const ended = await runCommand({ args: [...LOCAL, '--host', address, '--prefix', prefix] })
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') })
})

describe('first admin', () => {
  const passwordOf = async (server: Server): Promise<string> => String((await adminLine(server)).password)

  /** Ends a server and returns the passwords that it has printed. */
  async function printedUntilEnd(server: Server): Promise<unknown[]> {
    await server.kill()
    return server.log.filter(({ msg }) => ADMIN.test(msg)).map(({ password }) => password)
  }

  test('no settings → the same random password at each start until the first login', async () => {
    const dataDir = temporaryDirectory()
    const first = await start({ dataDir })
    const password = await passwordOf(first)
    await expect(logIn(first.url, 'admin', 'a wrong one')).rejects.toThrow('401')
    expect(await printedUntilEnd(first)).toEqual([password])
    expect((statSync(join(dataDir, 'first-password')).mode & 0o777).toString(8)).toBe('600')

    const second = await start({ dataDir })
    expect(await passwordOf(second)).toBe(password)
    const { body } = await (await logIn(second.url, 'admin', password)).get('/auth/me')
    expect(body).toEqual({ deviseId: 'admin', role: 'MAN' })
    expect(readdirSync(dataDir)).not.toContain('first-password')
    await second.kill()

    const third = await start({ dataDir })
    await logIn(third.url, 'admin', password)
    expect(await printedUntilEnd(third)).toEqual([])
  })

  test('the password was changed before the first login → not printed again', async () => {
    const dataDir = temporaryDirectory()
    await (await start({ dataDir })).kill()
    const file = join(dataDir, 'first-password')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"password":"/, '"password":"another'))
    const second = await start({ dataDir })
    expect(await printedUntilEnd(second)).toEqual([])
    expect(readdirSync(dataDir)).not.toContain('first-password')
  })

  test.each(['--host', '--mqtt'])('%s in use at the first start → the second start prints', async (flag) => {
    const dataDir = temporaryDirectory()
    const other = createServer().listen(0, '127.0.0.1')
    whenDone(() => other.close())
    await once(other, 'listening')
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const failed = await runCommand({ args: [...LOCAL, flag, address], dataDir })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(dataDir)).not.toContain('first-password')
    const second = await start({ dataDir })
    await logIn(second.url, 'admin', await passwordOf(second))
  })

  test('two data directories → two passwords', async () => {
    expect(await passwordOf(await start())).not.toBe(await passwordOf(await start()))
  })

  test('id and password in the settings → used, not printed; ignored at the next start, which says so', async () => {
    const dataDir = temporaryDirectory()
    const server = await start({ dataDir, env: { ADMIN_ID: 'chief', ADMIN_PASSWORD: 'chosen-by-hand' } })
    expect(await adminLine(server)).toMatchObject({
      deviceId: 'chief',
      msg: 'first admin: its password is the one of ADMIN_PASSWORD',
    })
    await logIn(server.url, 'chief', 'chosen-by-hand')
    await expect(logIn(server.url, 'admin', 'chosen-by-hand')).rejects.toThrow('401')
    await server.kill()

    const second = await start({ dataDir, env: { ADMIN_PASSWORD: 'another' } })
    expect(await second.logged(({ msg }) => msg.startsWith('ADMIN_PASSWORD'))).toMatchObject({
      level: 'warn',
      msg: 'ADMIN_PASSWORD is ignored, because there is an admin already: remove it from the settings. "waybill client password chief" sets a new password',
    })
    await logIn(second.url, 'chief', 'chosen-by-hand')
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
    const about = server.log.filter(({ messageId }) => messageId !== undefined)
    expect(about.map(({ msg, messageId }) => [msg, messageId])).toEqual([
      ['message stored', id],
      ['message dispatched', id],
      ['message acknowledged', id],
    ])
  })
})
