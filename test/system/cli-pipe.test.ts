/** A command whose reader ends early, as `head -1` does, and one that a signal ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { BUILT, spawnCommand } from '../_support/server.ts'

/** Runs a command whose standard output is closed before the command writes. */
async function unread(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [...BUILT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
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

test.each(['SIGINT', 'SIGTERM'] as const)('simulate: %s → exit code 0 and a last line', async (signal) => {
  const broker = await BrokerUnderTest.start()
  const login = ['--url', broker.server.url, '--user', 'admin', '--password', ADMIN_PASSWORD]
  const device = spawnCommand({ args: ['simulate', 'pump', ...login] })
  const id = await broker.send('pump', { command: 'go' })
  while ((await broker.status(id)) !== 'COMPLETED');
  expect(await device.kill(signal)).toMatchObject({
    code: 0,
    signal: null,
    stderr: expect.stringMatching(
      /^waybill: simulating pump over REST at \S+: .*\nwaybill: stopped after 1 command\n$/,
    ),
  })
})
