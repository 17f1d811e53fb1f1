/** A data directory without a server, and `waybill db` on it. */
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../../src/cli.ts'
import { BrokerUnderTest } from './broker.ts'
import { temporaryDirectory } from './cleanup.ts'
import { type Ended, runCommand } from './server.ts'
import { databaseIn, rowsOf } from './stored.ts'

type Outcome = Pick<Ended, 'code' | 'stdout' | 'stderr'>

const root = temporaryDirectory()
const left = new Map<NodeJS.Signals, string>()

export class DatabaseUnderTest {
  dataDir = temporaryDirectory()
  /** Outside of the data directory, and not there yet. */
  readonly backup = join(temporaryDirectory(), 'backup.db')

  get path(): string {
    return databaseIn(this.dataDir)
  }

  start(): Promise<BrokerUnderTest> {
    return startIn(this.dataDir)
  }

  /** What a command said that did its work, in a process of its own. */
  async spawned(...args: string[]): Promise<string> {
    return answerOf(await runCommand({ args: ['db', ...args], dataDir: this.dataDir }))
  }

  /** The same in this process, which is quicker. */
  async said(...args: string[]): Promise<string> {
    return answerOf(await this.#run(args))
  }

  /** What a command said that did nothing. */
  async refused(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }

  /** Fills the data directory with two messages for `pump`, as a server left them that this signal ended. */
  async filled(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const template = left.get(signal) ?? mkdtempSync(join(root, signal))
    if (!left.has(signal)) await send(2, signal, template)
    left.set(signal, template)
    cpSync(template, this.dataDir, { recursive: true })
  }

  /** Sends so many messages more. */
  send(count: number, signal: NodeJS.Signals): Promise<void> {
    return send(count, signal, this.dataDir)
  }

  async #run(args: readonly string[]): Promise<Outcome> {
    const out: string[] = []
    const err: string[] = []
    const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
    const code = (await run(['db', ...args, '--data-dir', this.dataDir], io, () => {})) ?? null
    return { code, stdout: out.join(''), stderr: err.join('') }
  }
}

export const idsIn = (path: string): number[] =>
  rowsOf<{ id: number }>(path, 'SELECT id FROM messages ORDER BY id').map(({ id }) => id)

const startIn = (dataDir: string): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({ adapter: 'node', dataDir })

async function send(count: number, signal: NodeJS.Signals, dataDir: string): Promise<void> {
  const broker = await startIn(dataDir)
  for (let n = 0; n < count; n++) await broker.send('pump', { command: 'start', data: { n } })
  await broker.server.kill(signal)
}

function answerOf({ code, stdout, stderr }: Outcome): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
