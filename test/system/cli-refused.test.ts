/** A refused start: one sentence with the remedy, and exit code 1 if a later start may succeed, 78 if none can. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { BUILT, type CommandOptions, LOCAL, runCommand, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

/** Runs a start that is refused and returns its message. A stack or a second line would not match the pattern. */
async function refusal(expected: 1 | 78, options: CommandOptions): Promise<string> {
  const { code, stderr } = await runCommand({ args: LOCAL, dataDir: temporaryDirectory(), ...options })
  expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringMatching(/^waybill: [^\n]+\n$/) })
  return stderr.trim()
}

describe.each(ADAPTERS)('adapter %s', (adapter) => {
  test('start: the port is in use → refused', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    whenDone(() => other.close())
    await new Promise((ready) => other.once('listening', ready))
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    expect(await refusal(1, { args: ['--host', host, '--mqtt', 'off', '--adapter', adapter] })).toBe(
      `waybill: ${host} is in use: stop the program that listens there, or choose another address with --host HOST:PORT`,
    )
  })
})

test('start: the MQTT port is in use → refused', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  whenDone(() => other.close())
  await new Promise((ready) => other.once('listening', ready))
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  expect(await refusal(1, { args: [...LOCAL, '--mqtt', address] })).toBe(
    `waybill: MQTT: ${address} is in use: stop what listens there, choose another with --mqtt HOST:PORT, or --mqtt off`,
  )
})

test('start: an address of another machine → refused', async () => {
  // An address of TEST-NET-1 (RFC 5737), which no machine has.
  expect(await refusal(1, { args: ['--host', '192.0.2.1:0', '--mqtt', 'off'] })).toBe(
    'waybill: 192.0.2.1:0 is not an address of this machine: choose another with --host HOST:PORT',
  )
})

test('data directory: in use by another server → refused until that ends', async () => {
  const dataDir = temporaryDirectory()
  const first = await startServer({ dataDir })
  expect(await refusal(1, { dataDir })).toBe(
    `waybill: data directory ${dataDir} is in use by another waybill: stop it, or name another --data-dir`,
  )
  expect((await fetch(first.url)).status).toBe(200)
  await first.kill()
  expect((await fetch((await startServer({ dataDir })).url)).status).toBe(200)
})

test('data directory: its server was killed → free at once', async () => {
  const dataDir = temporaryDirectory()
  await (await startServer({ dataDir })).kill('SIGKILL')
  expect((await fetch((await startServer({ dataDir })).url)).status).toBe(200)
})

test('data directory: a file, or below a file → refused', async () => {
  const dataDir = join(temporaryDirectory(), 'file')
  writeFileSync(dataDir, '')
  const cure = /^waybill: data directory \S+ cannot be used \(.*\): name a writable one with --data-dir$/
  expect(await refusal(78, { dataDir })).toMatch(cure)
  expect(await refusal(78, { dataDir: join(dataDir, 'below') })).toMatch(cure)
})

test('data directory: not writable → refused', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may write anywhere')
  const dataDir = join(temporaryDirectory(), 'read-only')
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o500)
  expect(await refusal(78, { dataDir })).toMatch(
    /cannot be used \(EACCES.*\): name a writable one with --data-dir$/,
  )
})

test('data directory: files of another program, open to other users → refused', async () => {
  const dataDir = temporaryDirectory()
  writeFileSync(join(dataDir, 'holiday.jpg'), '')
  chmodSync(dataDir, 0o755)
  expect(await refusal(78, { dataDir })).toMatch(/name an empty directory with --data-dir$/)
})

test('prefix: missing → refused', async () => {
  const path = join(temporaryDirectory(), 'missing')
  expect(await refusal(78, { args: ['--prefix', path] })).toBe(
    `waybill: ${path}: no such directory. Give --prefix a directory of endpoint files`,
  )
})

test('adapter uws: a build that is not native → refused', async () => {
  const env = { UWS_USE_FALLBACK: '1' }
  const said = await refusal(78, { args: [...LOCAL, '--adapter', 'uws'], env })
  expect(said).toContain(`no native code for Node ${process.versions.node}`)
  expect(said).toContain('npm install uNetworking/uWebSockets.js#')
  expect(said).toContain('--adapter node')
})

test('adapter uws: not installed → refused before a data directory is created', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const program = ['--import', withoutPackage('uWebSockets.js'), ...BUILT]
  const said = await refusal(78, { args: [...LOCAL, '--adapter', 'uws'], dataDir, program })
  expect(said).toContain('waybill: uWebSockets.js cannot be loaded (')
  expect(said).toContain('npm install uNetworking/uWebSockets.js#')
  expect(existsSync(dataDir)).toBe(false)
})

test('endpoint file: does not compile → refused', async () => {
  const { code, stderr } = await runCommand({
    args: ['--prefix', writeTree({ 'pump.ts': 'export class {' })],
  })
  expect({ code, stderr }).toEqual({
    code: 78,
    stderr: expect.stringMatching(/^waybill: \S+pump\.ts: cannot be loaded: /),
  })
})

test.each([
  [{ WAYBILL_TRUSTED_PROXIES: 'proxy.example' }, 'WAYBILL_TRUSTED_PROXIES: '],
  [{ REST_SERVER_ADDRESS: '127.0.0.1:80' }, 'REST_SERVER_ADDRESS: '],
  [{ WAYBILL_CONFIG: '/missing.yaml' }, '--config: /missing.yaml cannot be read (ENOENT)'],
])('setting: %j → refused', async (env, reason) => {
  expect(await refusal(78, { args: ['--mqtt', 'off'], env })).toContain(`waybill: ${reason}`)
})

test('secret: the file in the data directory is damaged → refused', async () => {
  const dataDir = temporaryDirectory()
  writeFileSync(join(dataDir, 'jwt-secret'), 'short')
  expect(await refusal(78, { dataDir })).toContain('jwt-secret has no valid secret: delete the file')
})

/** Returns a module that makes imports of a package fail as if it were not installed. */
function withoutPackage(name: string): string {
  const hook = `export function resolve(specifier, context, next) {
    return next(specifier === ${JSON.stringify(name)} ? 'not-installed' : specifier, context)
  }`
  const path = join(temporaryDirectory(), 'without.mjs')
  const url = `data:text/javascript,${encodeURIComponent(hook)}`
  writeFileSync(path, `import { register } from 'node:module'\nregister(${JSON.stringify(url)})\n`)
  return path
}
