/** `waybill client password`: a lost password is set in the data directory of a stopped server. */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditLines } from '../_support/audit.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { withClients } from '../_support/clients.ts'
import { jsonLines, waybill } from '../_support/command.ts'
import { call, logIn, withToken } from '../_support/rest.ts'

const reset = (dataDir: string, ...flags: string[]) =>
  waybill('client', 'password', ...flags, '--data-dir', dataDir)

test('client password: the server is stopped → a random password logs in, the old one and its tokens do not', async () => {
  const { server, dataDir, token } = await BrokerUnderTest.start()
  await server.kill()
  const { code, stdout, stderr } = await reset(dataDir, 'admin')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const password = /^1 admin password (\S{20})\n$/.exec(stdout)?.[1] as string
  const next = await BrokerUnderTest.start({ dataDir, adminPassword: password })
  const { url } = next.server
  expect((await withToken(url, token).get('/auth/me')).status).toBe(401)
  expect(
    (await call(url, 'POST', '/auth/login', { deviseId: 'admin', password: ADMIN_PASSWORD })).status,
  ).toBe(401)
  expect((await next.rest.get('/auth/me')).body).toEqual({ deviseId: 'admin', role: 'MAN' })
  const noClient = { deviseId: null, keyId: null, address: null }
  expect(await auditLines(next, '?action=client.password')).toMatchObject([
    { ...noClient, object: 'admin', detail: {} },
  ])
})

test('client password: --new-password → not printed; a device keeps its role', async () => {
  const dataDir = await withClients('lamp')
  const ended = await reset(dataDir, 'lamp', '--new-password', 'a new word')
  expect(ended).toEqual({ code: 0, stdout: '1 lamp password changed\n', stderr: '' })
  const { server } = await BrokerUnderTest.start({ dataDir })
  const lamp = await logIn(server.url, 'lamp', 'a new word')
  expect((await lamp.get('/auth/me')).body).toEqual({ deviseId: 'lamp', role: 'DEVISE' })
})

test('client password: --json → one object with the password', async () => {
  const ended = await reset(await withClients(), 'admin', '--json')
  expect(jsonLines(ended)).toEqual([
    { id: 1, deviseId: 'admin', password: expect.stringMatching(/^\S{20}$/) },
  ])
})

test('client password: the server runs → exit code 1, and the password stays', async () => {
  const { server, dataDir } = await BrokerUnderTest.start()
  expect(await reset(dataDir, 'admin')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'waybill: The server uses this data directory. Stop it, or set the password on the admin page.\n',
  })
  await logIn(server.url, 'admin', ADMIN_PASSWORD)
})

test('client password: an unknown client → exit code 5, the admins by name, at most five', async () => {
  const few = await reset(await withClients(['boss', 'MAN'], 'lamp'), 'admni')
  const message = 'waybill: There is no client "admni". With role MAN: "boss", "admin".\n'
  expect(few).toEqual({ code: 5, stdout: '', stderr: message })
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const many = await reset(await withClients(...names.map((name): [string, 'MAN'] => [name, 'MAN'])), 'x')
  expect(many.stderr).toContain('With role MAN: "a", "b", "c", "d", "e" and 2 more.')
})

test.each([
  ['too long', 'x'.repeat(73), 1, /more than 72 bytes/],
  ['a bcrypt hash', `$2b$10$${'a'.repeat(53)}`, 1, /is a bcrypt hash/],
  ['empty', '', 2, /--new-password is empty/],
])('client password: %s → refused', async (_what, password, code, message) => {
  const ended = await reset(await withClients(), 'admin', '--new-password', password)
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
})

test('client password: a directory without a database → exit code 1, and it stays empty', async () => {
  const dataDir = join(temporaryDirectory(), 'wrong')
  mkdirSync(dataDir)
  const { code, stderr } = await reset(dataDir, 'admin')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `waybill: ${dataDir} has no database: name the data directory of the server with --data-dir\n`,
  })
  expect(readdirSync(dataDir)).toEqual([])
})

test('client password: done → each file of the data directory has mode 0600', async () => {
  const dataDir = await withClients()
  await reset(dataDir, 'admin')
  const modes = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mode & 0o777])
  expect(modes).toEqual(modes.map(([name]) => [name, 0o600]))
  expect(modes).not.toEqual([])
})
