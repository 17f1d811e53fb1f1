/** Saved contexts: their commands, their file, and which server and login a command uses. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { contextPath } from '../../src/cli/context-file.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { jsonLines, waybill, waybillWith } from '../_support/command.ts'

let broker: BrokerUnderTest
let url: string
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  url = broker.server.url
})

let file: string
beforeEach(() => {
  const home = temporaryDirectory()
  vi.stubEnv('XDG_CONFIG_HOME', home)
  file = join(home, 'waybill', 'contexts.json')
})
afterEach(() => vi.unstubAllEnvs())

const login = () => ['--user', 'admin', '--password', ADMIN_PASSWORD]
/** No server listens at the discard port. */
const NOWHERE = 'http://127.0.0.1:9'

describe('context', () => {
  test('add, list, show, select, remove → one file for its owner; secrets are not printed', async () => {
    const printed = [
      await waybill('context', 'add', 'site', '--url', url, ...login(), '--select'),
      await waybill('context', 'add', 'cloud', '--url', 'https://waybill.example', '--token', 'wbk_1_s3cret'),
      await waybill('context', 'list'),
      await waybill('context', 'show'),
      await waybill('context', 'show', 'cloud', '--json'),
    ]
    expect(printed.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, `site saved in ${file}\n`],
      [0, `cloud saved in ${file}\n`],
      [0, `*\tsite\t${url}\tadmin\n \tcloud\thttps://waybill.example\n`],
      [0, expect.stringMatching(/^name\tsite\nselected\ttrue\nurl\t\S+\nuser\tadmin\nlogin\tpassword\n/)],
      [0, expect.stringContaining('"login":"token"')],
    ])
    const all = JSON.stringify(printed)
    for (const secret of [ADMIN_PASSWORD, 's3cret']) expect(all).not.toContain(`"${secret}"`)
    expect(all).not.toContain('s3cret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await waybill('context', 'select', 'cloud')).toMatchObject({ stdout: 'cloud selected\n' })
    expect(await waybill('context', 'remove', 'cloud')).toMatchObject({ stdout: 'cloud removed\n' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      contexts: { site: { url, user: 'admin', password: ADMIN_PASSWORD } },
    })
    expect(await waybill('context', 'show')).toMatchObject({
      code: 5,
      stderr: 'waybill: no context is selected. Saved: site.\n',
    })
  })

  test('add twice → refused; with --force → replaced', async () => {
    await waybill('context', 'add', 'site', '--url', url)
    expect(await waybill('context', 'add', 'site', '--url', NOWHERE)).toMatchObject({
      code: 1,
      stderr: 'waybill: there is a context "site": replace it with --force\n',
    })
    await waybill('context', 'add', 'site', '--url', NOWHERE, '--force')
    expect(readFileSync(file, 'utf8')).toContain(NOWHERE)
  })

  test('add with a password or token of - → read from the standard input', async () => {
    await waybillWith({ input: 's3cret\n' }, 'context', 'add', 'site', '--token', '-')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ contexts: { site: { token: 's3cret' } } })
  })

  test.each([
    [2, 'is not a valid name for a context', ['add', '../x']],
    [2, 'is not a valid name for a context', ['add', '__proto__']],
    [2, '--url: expected http://HOST:PORT', ['add', 'x', '--url', 'ftp://x']],
    [2, '--cacert: missing.pem cannot be read: ENOENT', ['add', 'x', '--cacert', 'missing.pem']],
    [2, 'only one of --password and --token', ['add', 'x', '--password', '-', '--token', '-']],
    [2, 'the password or token is empty: nothing was saved', ['add', 'x', '--user', 'u', '--password', '-']],
    [5, 'there is no context "y". No context is saved: "waybill context add" saves one.', ['show', 'y']],
    [5, 'there is no context "constructor"', ['select', 'constructor']],
    [5, 'there is no context "y"', ['remove', 'y']],
  ])('exit code %d: %s', async (code, message, argv) => {
    const ended = await waybill('context', ...argv)
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(existsSync(file)).toBe(false)
  })

  test('a file that holds something else → 78, and the file stays', async () => {
    await waybill('context', 'add', 'site', '--url', url)
    for (const text of ['', '[]', '{"contexts":{"site":{}}}', '{"contexts":{"site":{"url":1}}}']) {
      writeFileSync(file, text)
      const message = `waybill: ${file} does not hold contexts: correct the file, or remove it\n`
      expect(await waybill('messages')).toEqual({ code: 78, stdout: '', stderr: message })
      expect(await waybill('context', 'add', 'other')).toMatchObject({ code: 78 })
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
    expect(await waybill('messages', '--url', url, ...login())).toMatchObject({ code: 0 })
  })

  test('path of the file: Windows → APPDATA; without variables → .config of the home directory', () => {
    expect(contextPath({ APPDATA: '/roaming' }, 'win32')).toBe('/roaming/waybill/contexts.json')
    expect(contextPath({ HOME: '/x' }, 'linux')).toMatch(/\/\.config\/waybill\/contexts\.json$/)
  })
})

describe('server and login', () => {
  const me = (...argv: string[]) => waybill('messages', '--limit', '1', '--json', ...argv)
  const save = (name: string, ...flags: string[]) => waybill('context', 'add', name, ...flags)

  test('selected, of --context, of WAYBILL_CONTEXT → the server and login of that context', async () => {
    await broker.send('pump', { command: 'go' })
    await save('site', '--url', url, ...login())
    await save('nowhere', '--url', NOWHERE, '--token', 'x', '--select')
    expect(await me()).toMatchObject({ code: 3, stderr: expect.stringContaining(NOWHERE) })
    expect(jsonLines(await me('--context', 'site'))).toHaveLength(1)
    vi.stubEnv('WAYBILL_CONTEXT', 'site')
    expect(await me()).toMatchObject({ code: 0 })
    expect(await me('--context', 'nowhere')).toMatchObject({ code: 3 })
    vi.stubEnv('WAYBILL_CONTEXT', 'sight')
    const message = 'there is no context "sight". Saved: site, nowhere.'
    expect(await me()).toMatchObject({ code: 2, stderr: expect.stringContaining(JSON.stringify(message)) })
  })

  test('flag before variable before selected context', async () => {
    await save('site', '--url', url, '--token', 'wrong', '--select')
    expect(await me()).toMatchObject({ code: 4 })
    vi.stubEnv('WAYBILL_TOKEN', broker.token)
    expect(await me()).toMatchObject({ code: 0 })
    expect(await me('--token', 'wrong')).toMatchObject({ code: 4 })
    expect(await me('--token', 'wrong', ...login())).toMatchObject({ code: 0 })
  })

  test('--context before variables, so that no login of another server is sent', async () => {
    await save('site', '--url', url, '--token', broker.token)
    vi.stubEnv('WAYBILL_URL', NOWHERE)
    vi.stubEnv('WAYBILL_USER', 'admin')
    vi.stubEnv('WAYBILL_PASSWORD', 'of another server')
    expect(await me('--context', 'site')).toMatchObject({ code: 0 })
  })

  test('--url or WAYBILL_URL without --context → the selected context is left out, with its token', async () => {
    await save('site', '--url', NOWHERE, '--token', broker.token, '--select')
    expect(await me('--url', url)).toMatchObject({ code: 4 })
    vi.stubEnv('WAYBILL_URL', url)
    expect(await me()).toMatchObject({ code: 4 })
    expect(await me('--context', 'site', '--url', url)).toMatchObject({ code: 0 })
  })
})
