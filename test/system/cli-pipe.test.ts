/** A command whose reader ends early, as `head -1` does, and one that a signal ends. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { BUILT, spawnCommand } from '../_support/server.ts'

function start(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [...BUILT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  whenDone(() => child.kill('SIGKILL'))
  return child
}

/** Runs a command whose standard output is closed before the command writes. */
async function unread(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const child = start(args)
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

test('a command that prints: the reader has ended → no error, exit code 0', async () => {
  const broker = await BrokerUnderTest.start()
  for (let n = 0; n < 3; n++) await broker.send('pump', { command: 'go' })
  const login = ['--url', broker.server.url, '--token', broker.token]
  for (const args of [
    ['--help'],
    ['routes', '--json'],
    ['messages', ...login],
    ['simulate', 'pump', '--json', ...login],
  ]) {
    expect({ args, ...(await unread(args)) }).toEqual({ args, code: 0, stderr: '' })
  }
})

test.each([
  [['--json'], /^$/],
  [[], /^waybill: [\d: -]+ watching \S+, Ctrl-C ends\n$/],
])(
  'watch %j: the reader ends after a change, then a second change → exit code 0, no error',
  async (flags, notes) => {
    const broker = await BrokerUnderTest.start()
    const child = start(['watch', ...flags, '--url', broker.server.url, '--token', broker.token])
    const ended = Promise.all([text(child.stderr), once(child, 'close')])
    const send = (): Promise<number> => broker.send('pump', { command: 'go' })
    const beginning = new Promise<void>((resolve) => {
      if (flags.length > 0) child.stdout.once('data', () => resolve())
      else child.stderr.once('data', () => resolve())
    })
    const lines = createInterface({ input: child.stdout })
    await beginning
    const change = new Promise<string>((resolve) => {
      lines.on('line', (line) => line.includes('pump') && resolve(line))
    })
    const first = await send()
    expect(await change).toMatch(new RegExp(`\\b${first}\\b`))
    lines.close()
    child.stdout.destroy()
    await once(child.stdout, 'close')
    await send()
    const [stderr, [code, signal]] = await ended
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: expect.stringMatching(notes) })
  },
)

test.each(['SIGINT', 'SIGTERM'] as const)('simulate: %s → exit code 0 and a last line', async (signal) => {
  const broker = await BrokerUnderTest.start()
  const login = ['--url', broker.server.url, '--user', 'admin', '--password', ADMIN_PASSWORD]
  const device = spawnCommand({ args: ['simulate', 'pump', ...login] })
  const id = await broker.send('pump', { command: 'go' })
  await eventually(async () => expect(await broker.status(id)).toBe('COMPLETED'))
  expect(await device.kill(signal)).toMatchObject({
    code: 0,
    signal: null,
    stderr: expect.stringMatching(
      /^waybill: simulating pump over REST at \S+: .*\nwaybill: stopped after 1 command\n$/,
    ),
  })
})
