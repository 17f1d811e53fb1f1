/** Signals: two stop the server, others leave a line in the log. Also under npm, whose process passes them on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { LogLines } from '../_support/log-lines.ts'
import { type Command, LOCAL, PROJECT, spawnCommand, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

test.each(['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)(
  '%s: a server runs → one line, the server continues',
  async (signal) => {
    const server = await startServer()
    process.kill(server.pid, signal)
    const line = await server.logged((each) => each.signal === signal)
    expect(line).toMatchObject({ level: 'info', msg: `${signal} is ignored: SIGTERM stops the server` })
    expect((await fetch(server.url)).status).toBe(200)
    expect(await server.kill()).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(server.log.filter((each) => each.signal === signal)).toHaveLength(1)
  },
)

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: sent twice → one orderly stop, exit code 0',
  async (signal) => {
    const server = await startServer()
    process.kill(server.pid, signal)
    expect(await server.kill(signal)).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(server.log.slice(-2).map(({ msg }) => msg)).toEqual([`${signal}: stopping`, 'stopped'])
  },
)

describe('during a start', () => {
  /** Starts a server whose `_services` file reports that it opens, and then waits for SIGHUP. */
  async function starting(): Promise<Command> {
    const file = `export async function open() {
  console.log(JSON.stringify({ level: 'info', msg: 'opening' }))
  await new Promise((opened) => process.once('SIGHUP', opened))
}`
    const command = spawnCommand({ args: [...LOCAL, '--prefix', writeTree({ '_services.js': file })] })
    await command.logged(({ msg }) => msg === 'opening')
    return command
  }

  test('SIGHUP → the start continues', async () => {
    const command = await starting()
    process.kill(command.pid, 'SIGHUP')
    await command.logged(({ msg }) => msg === 'listening')
    expect(await command.kill()).toMatchObject({ code: 0, stderr: '' })
  })

  test('SIGTERM → the process ends with exit code 0', async () => {
    expect(await (await starting()).kill()).toMatchObject({ code: 0, signal: null, stderr: '' })
  })
})

describe('npm start', () => {
  /** Starts the clone as the README does, without a terminal. */
  async function npmStart(detached = false): Promise<{ npm: ChildProcess; log: LogLines; dataDir: string }> {
    const dataDir = temporaryDirectory()
    const npm = spawn('npm', ['start', '--', ...LOCAL, '--data-dir', dataDir], {
      cwd: PROJECT,
      detached,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    whenDone(() => npm.kill('SIGKILL'))
    const log = new LogLines()
    createInterface({ input: npm.stdout }).on('line', (text) => log.add(text))
    await log.next(({ msg }) => msg === 'listening')
    return { npm, log, dataDir }
  }

  /** Waits until every process that writes to the pipe of npm has ended. */
  async function ended(npm: ChildProcess, log: LogLines): Promise<void> {
    await once(npm, 'close')
    const { http } = await log.next(({ msg }) => msg === 'listening')
    await expect(fetch(String(http))).rejects.toThrow('fetch failed')
    expect(log.lines.at(-1)?.msg).toBe('stopped')
  }

  test('SIGTERM to the process of npm → the server stops in order, no process is left', async () => {
    const { npm, log, dataDir } = await npmStart()
    npm.kill('SIGTERM')
    await ended(npm, log)
    expect(existsSync(join(dataDir, 'waybill.db-wal'))).toBe(false)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to the whole group, as a terminal sends it → an orderly stop, though npm passes the signal on',
    async (signal) => {
      const { npm, log } = await npmStart(true)
      process.kill(-(npm.pid ?? 0), signal)
      await ended(npm, log)
    },
  )
})
