/** The commands that call a server: their output and their exit codes. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { jsonLines, startWaybill } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'
import { EVENTS } from '../_support/known-events.ts'
import { withToken } from '../_support/rest.ts'
import { type Ended, LOCAL, runCommand, spawnCommand, startServer, unusedUrl } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

let broker: BrokerUnderTest
let env: Record<string, string>
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  env = { WAYBILL_URL: broker.server.url, WAYBILL_USER: 'admin', WAYBILL_PASSWORD: ADMIN_PASSWORD }
})

const waybill = (...args: string[]): Promise<Ended> => runCommand({ args, env })

/** Returns the objects that a command printed with --json. */
function lines({ stdout }: Ended): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function idOf(sent: Promise<Ended>): Promise<number> {
  return lines(await sent)[0]?.id as number
}

describe('send', () => {
  test('a device and a command → stored, its id is printed', async () => {
    const { code, stdout, stderr } = await waybill('send', 'shelf', 'blink')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\d+ NOT_DELIVERED\n$/)
  })

  test('--data → it arrives byte for byte', async () => {
    const data = '{"big":12345678901234567890, "one":1.0,"z":{"a":"\\u00e9"}}'
    const id = await idOf(
      waybill('send', 'bytes', 'blink', '--data', data, '--guarantee', 'ONLY_LAST', '--json'),
    )
    const { text } = await broker.poll('bytes')
    expect(text).toContain(`"id":${id},`)
    expect(text).toContain(`"believerGuarantee":"ONLY_LAST","data":${data}`)
  })

  test.each(['[1]', '"text"', '{', ''])('--data %s → exit code 2', async (data) => {
    const { code, stdout, stderr } = await waybill('send', 'shelf', 'blink', '--data', data)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^waybill: --data: expected a JSON object/)
  })

  test('--wait: the device completes it → exit code 0, COMPLETED', async () => {
    const device = waybill('simulate', 'quick', '--count', '1', '--interval', '0.05', '--json')
    const sent = await waybill('send', 'quick', 'go', '--data', '{"n":1}', '--wait', '--json')
    const [result] = lines(sent)
    expect(sent).toMatchObject({ code: 0, stderr: '' })
    const reported = { reason: null, result: null }
    expect(result).toEqual({ id: expect.any(Number), deliveryStatus: 'COMPLETED', ...reported })
    expect(lines(await device)).toEqual([
      {
        id: result?.id,
        command: 'go',
        data: { n: 1 },
        deliveryStatus: 'COMPLETED',
        time: expect.any(String),
      },
    ])
  })

  test('--wait: the device reports an error → exit code 6', async () => {
    const device = waybill('simulate', 'broken', '--fail', '--count', '1', '--interval', '0.05')
    const { code, stdout, stderr } = await waybill('send', 'broken', 'go', '--wait')
    expect({ code, stderr }).toEqual({ code: 6, stderr: '' })
    expect(stdout).toMatch(/^\d+ COMPLETED_WITH_ERROR\n$/)
    expect((await device).stdout).toMatch(/^[\d:]+ \d+ go \{\} COMPLETED_WITH_ERROR\n$/)
  })

  test('--wait: the command is cancelled → exit code 7', async () => {
    const waiting = spawnCommand({ args: ['send', 'blind', 'move', '--wait', '--json'], env })
    await stored('blind')
    await broker.send('blind', { command: 'move', believerGuarantee: 'ONLY_LAST' })
    const ended = await waiting.exited
    expect(ended.code).toBe(7)
    expect(lines(ended)).toMatchObject([{ deliveryStatus: 'CANCELLED' }])
  })

  test('--wait: the time is over → exit code 27', async () => {
    const { code, stdout, stderr } = await waybill('send', 'absent', 'go', '--wait', '--timeout', '0.1')
    expect({ code, stdout }).toEqual({ code: 27, stdout: expect.stringMatching(/^\d+ NOT_DELIVERED\n$/) })
    expect(stderr).toMatch(
      /^waybill: Message \d+ is still NOT_DELIVERED after 100 ms\. Wait longer, or check the device\.\n$/,
    )
  })
})

/** Resolves when a message is pending for the device. */
async function stored(deviceId: string): Promise<void> {
  await eventually(async () => expect(await broker.next(deviceId)).not.toBeNull())
}

/** Returns a text without the local times in it. */
const withoutTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /g, '')

test('watch: several events → a line for each; the stream ends → it resumes behind the last one', async () => {
  const server = await startServer({
    args: [...LOCAL, '--prefix', writeTree(EVENTS), '--prefix', '@broker'],
    env: { ADMIN_PASSWORD },
    dataDir: temporaryDirectory(),
  })
  const args = ['watch', '--after', '42', '--url', server.url]
  const ended = await waybill(...args)
  expect(ended.code).toBe(4)
  expect(withoutTimes(ended.stderr)).toBe(`waybill: watching ${server.url}, Ctrl-C ends
waybill: the connection to ${server.url} is lost; trying to connect again
waybill: connected again
waybill: the connection to ${server.url} is lost; trying to connect again
waybill: That is all.
`)
  expect(withoutTimes(ended.stdout)).toBe(
    'status     {"n":43}\nstatus     {"n":44}\nstatus     {"n":45}\nstatus     {"n":46}\n',
  )
  const [first] = lines(await waybill(...args, '--json'))
  expect(first).toEqual({ time: expect.any(String), id: '43', event: 'status', data: { n: 43 } })
})

test('devices log --follow: the server is killed and started again → the entries of both runs, each once', async () => {
  const dataDir = temporaryDirectory()
  const first = await startServer({ args: [...LOCAL], env: { ADMIN_PASSWORD }, dataDir })
  const { host } = new URL(first.url)
  const login = ['--url', first.url, '--user', 'admin', '--password', ADMIN_PASSWORD]
  const note = (text: string): Promise<Ended> =>
    runCommand({ args: ['devices', 'note', 'pump', text, ...login] })
  const followed = startWaybill('devices', 'log', 'pump', '--follow', '--json', '--count', '2', ...login)
  const printed = (): string[] =>
    jsonLines(followed.written).map(({ kind, reason, detail }) =>
      kind === 'NOTE' ? (detail as { text: string }).text : `${kind} ${reason}`,
    )
  await eventually(async () => expect(printed()).toEqual(['SERVER STARTED']))
  await note('one')
  await eventually(async () => expect(printed()).toEqual(['SERVER STARTED', 'one']))
  await first.kill('SIGKILL')
  const args = LOCAL.map((argument) => (argument === '127.0.0.1:0' ? host : argument))
  await startServer({ args, env: { ADMIN_PASSWORD }, dataDir })
  const both = ['SERVER STARTED', 'one', 'SERVER LOST', 'SERVER STARTED']
  await eventually(async () => expect(printed()).toEqual(both))
  await note('two')
  expect(await followed.ended).toBe(0)
  expect(printed()).toEqual([...both, 'two'])
})

describe('client', () => {
  test('add, list, remove → the client is made, listed and deleted', async () => {
    const [made] = lines(
      await waybill('client', 'add', 'valve-1', '--description', 'in the cellar', '--json'),
    )
    expect(made).toMatchObject({ deviseId: 'valve-1', role: 'DEVISE', description: 'in the cellar' })
    const asDevice = {
      WAYBILL_URL: broker.server.url,
      WAYBILL_USER: 'valve-1',
      WAYBILL_PASSWORD: String(made?.password),
    }
    expect(await runCommand({ args: ['send', 'x', 'y'], env: asDevice })).toMatchObject({ code: 0 })
    const { stdout } = await waybill('client', 'list')
    expect(stdout).toMatch(new RegExp(`^${made?.id} +DEVISE +valve-1 +in the cellar$`, 'm'))
    expect(await waybill('client', 'remove', 'valve-1')).toMatchObject({
      code: 0,
      stdout: `${made?.id} removed\n`,
    })
    expect((await runCommand({ args: ['send', 'x', 'y'], env: asDevice })).code).toBe(4)
    expect(await waybill('client', 'remove', 'valve-1')).toMatchObject({
      code: 5,
      stderr: 'waybill: There is no client "valve-1". "waybill client list" lists all clients.\n',
    })
  })

  test('add with a chosen password → not printed; a second time → refused', async () => {
    const args = ['client', 'add', 'twice', '--new-password', 'of its own', '--role', 'MAN']
    const { code, stdout } = await waybill(...args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+ twice\n$/)
    const again = await waybill(...args)
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(/^waybill: .*twice/)
  })
})

describe('device', () => {
  test('settings: set one, then `general` → shown each time', async () => {
    const period = (value: string) => waybill('device', 'set', 'gate-1', '--send-message-period', value)
    const shows = (value: string) => {
      return { code: 0, stdout: expect.stringMatching(new RegExp(`^sendMessagePeriod +${value}$`, 'm')) }
    }
    expect(await waybill('device', 'show', 'gate-1')).toMatchObject(shows('general'))
    expect(await period('5000')).toMatchObject(shows('5000'))
    expect(lines(await waybill('device', 'show', 'gate-1', '--json'))).toMatchObject([
      { deviseId: 'gate-1', settings: { sendMessagePeriod: 5000 } },
    ])
    expect(await period('general')).toMatchObject(shows('general'))
  })

  test.each([
    [1, /^waybill: Parameter "sendMessagePeriod" is not valid: /, ['--send-message-period', '-1']],
    [1, /^waybill: Parameter "sendMessagePeriod" is not valid: /, ['--send-message-period', 'soon']],
    [2, /^waybill: give at least one setting: "waybill devices set --help" lists them$/m, []],
  ])('settings: not valid → exit code %d and the reason', async (code, message, args) => {
    const ended = await waybill('device', 'set', 'gate-2', ...args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(message)
  })
})

test('token: the credentials are right → a token that the server accepts', async () => {
  const { stdout } = await waybill('token')
  expect((await withToken(broker.server.url, stdout.trim()).get('/auth/me')).body).toMatchObject({
    deviseId: 'admin',
  })
  const args = ['send', 'x', 'y']
  const withIt = { WAYBILL_URL: broker.server.url, WAYBILL_TOKEN: stdout.trim() }
  expect(await runCommand({ args, env: withIt })).toMatchObject({ code: 0 })
})

describe('exit code', () => {
  test('no server listens → 3', async () => {
    const url = await unusedUrl()
    const { code, stdout, stderr } = await waybill('send', 'x', 'y', '--url', url)
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: `waybill: ${url} cannot be reached: ECONNREFUSED. Check the address, and that the server is running.\n`,
    })
  })

  test('no credentials, a wrong password, a role without the right → 4', async () => {
    const url = ['--url', broker.server.url]
    const anonymous = await runCommand({ args: ['send', 'x', 'y', ...url] })
    expect(anonymous.code).toBe(4)
    expect(anonymous.stderr).toMatch(/^waybill: Unauthorized: log in with --user and --password/)
    expect(await waybill('send', 'x', 'y', '--password', 'wrong')).toMatchObject({
      code: 4,
      stderr: 'waybill: Unauthorized: wrong user or password, or the token or key is invalid or expired.\n',
    })
    await waybill('client', 'add', 'gate', '--new-password', 'gate')
    const gate = ['--user', 'gate', '--password', 'gate']
    expect(await waybill('client', 'list', ...gate)).toMatchObject({
      code: 4,
      stderr: 'waybill: One of the roles MAN, READER is required. Use the token of a client that has it.\n',
    })
  })

  test('--json → the same codes, the error is a line of JSON', async () => {
    const url = await unusedUrl()
    const failures: [code: number, error: string, message: RegExp, args: string[]][] = [
      [1, 'failure', /admin/, ['client', 'add', 'admin']],
      [2, 'usage', /^missing required argument 'command'$/, ['send', 'x']],
      [2, 'usage', /^--data: expected a JSON object/, ['send', 'x', 'y', '--data', '[]']],
      [3, 'cannotConnect', /cannot be reached: ECONNREFUSED\./, ['send', 'x', 'y', '--url', url]],
      [4, 'notAllowed', /^Unauthorized: /, ['send', 'x', 'y', '--password', 'wrong']],
      [5, 'notFound', /^There is no client "nobody"\. "waybill client list"/, ['client', 'remove', 'nobody']],
      [27, 'timeout', /still NOT_DELIVERED/, ['send', 'x', 'y', '--wait', '--timeout', '0']],
    ]
    for (const [code, error, message, args] of failures) {
      const ended = await waybill(...args, '--json')
      expect({ args, code: ended.code }).toEqual({ args, code })
      expect(ended.stderr).toMatch(/^[^\n]+\n$/)
      expect(JSON.parse(ended.stderr)).toEqual({ error, message: expect.stringMatching(message) })
    }
    expect((await waybill('send', '--help', '--json')).stdout).toMatch(/^Usage: waybill send/)
  })

  test('wrong arguments → 2', async () => {
    for (const args of [
      ['send', 'x', 'y', '--url', 'ftp://x'],
      ['send', 'x', 'y', '--timeout', 'soon'],
      ['send', 'x'],
      ['simulate', 'x', '--count', '0'],
      ['client', 'add', 'x', '--role', 'BOSS'],
      ['token', '--user', ''],
    ]) {
      const { code, stdout } = await runCommand({ args })
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
    }
  })
})
