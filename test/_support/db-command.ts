/** Data directory without a server, and `waybill db` on it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { BrokerUnderTest } from './broker.ts'
import { lastingDirectory, temporaryDirectory } from './cleanup.ts'
import { type Ended, runCommand } from './server.ts'
import { databaseIn, rowsOf } from './stored.ts'

type Outcome = Pick<Ended, 'code' | 'stdout' | 'stderr'>

/** End of a server: stopped or killed. */
type End = 'stopped' | 'killed'

const templates = new Map<End, Promise<string>>()

export class DatabaseUnderTest {
  dataDir = temporaryDirectory()
  /** Path of a backup outside of the data directory. No file exists there yet. */
  readonly backup = join(temporaryDirectory(), 'backup.db')

  get path(): string {
    return databaseIn(this.dataDir)
  }

  start(): Promise<BrokerUnderTest> {
    return BrokerUnderTest.start({ dataDir: this.dataDir })
  }

  spawn(): Promise<BrokerUnderTest> {
    return BrokerUnderTest.spawn({ dataDir: this.dataDir })
  }

  /** Runs a command that succeeds in a separate process and returns its output. */
  async spawned(...args: string[]): Promise<string> {
    return answerOf(await runCommand({ args: ['db', ...args], dataDir: this.dataDir }))
  }

  /** Runs a command that succeeds in this process and returns its output. */
  async said(...args: string[]): Promise<string> {
    return answerOf(await this.run(...args))
  }

  /** Runs a command that fails and returns its error output. */
  async refused(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }

  /** Fills the data directory with two messages for `pump`, as left by a server that stopped or was killed. */
  async filled(end: End = 'stopped'): Promise<void> {
    const template = templates.get(end) ?? makeTemplate(end)
    templates.set(end, template)
    cpSync(await template, this.dataDir, { recursive: true })
  }

  /** Sends more messages through a server in this process. */
  async send(count: number, end: End): Promise<void> {
    const broker = await this.start()
    await sendTo(broker, count)
    if (end === 'stopped') await broker.server.kill()
    else this.dataDir = broker.leftBehind()
  }

  async run(...args: string[]): Promise<Outcome> {
    const out: string[] = []
    const err: string[] = []
    const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
    const code = (await run(['db', ...args, '--data-dir', this.dataDir], io, () => {})) ?? null
    return { code, stdout: out.join(''), stderr: err.join('') }
  }
}

export const idsIn = (path: string): number[] =>
  rowsOf<{ id: number }>(path, 'SELECT id FROM messages ORDER BY id').map(({ id }) => id)

/** Creates a data directory with two messages. The files of a killed server are copied from the running one. */
async function makeTemplate(end: End): Promise<string> {
  const broker = await BrokerUnderTest.start()
  await sendTo(broker, 2)
  if (end === 'stopped') await broker.server.kill()
  const template = lastingDirectory()
  cpSync(broker.dataDir, template, { recursive: true })
  return template
}

async function sendTo(broker: BrokerUnderTest, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await broker.send('pump', { command: 'start', data: { n } })
}

function answerOf({ code, stdout, stderr }: Outcome): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
