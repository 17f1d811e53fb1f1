/** The order of system calls: data is synced before the answer that confirms it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { CLONE, PROJECT } from '../_support/server.ts'
import { databaseIn } from '../_support/stored.ts'
import { attachStrace, NO_STRACE } from '../_support/strace.ts'

const PRODUCERS = 8
const EACH = 12

interface Call {
  readonly name: string
  /** The arguments as strace writes them: descriptors with their paths, text with its quotes escaped. */
  readonly text: string
  /** Lines of the trace at which the call began and returned. */
  readonly begin: number
  readonly end: number
  readonly result: string
}

/**
 * Parses a trace: `PID name(text) = result`, or in two lines `PID name(text <unfinished ...>`,
 * `PID <... name resumed>…) = result`.
 */
function callsOf(lines: readonly string[]): Call[] {
  const calls: Call[] = []
  const open = new Map<string, { name: string; text: string; begin: number }>()
  for (const [at, line] of lines.entries()) {
    const began = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/.exec(line)
    const resumed = /^(\d+) +<\.\.\. (\w+) resumed>(.*) = (\S+)/.exec(line)
    const whole = /^\d+ +(\w+)\((.*)\) += (\S+)/.exec(line)
    if (began) open.set(began[1] as string, { name: began[2] as string, text: began[3] as string, begin: at })
    else if (resumed) {
      const { name, text, begin } = open.get(resumed[1] as string) ?? { name: '', text: '', begin: at }
      calls.push({ name, text: text + resumed[3], begin, end: at, result: resumed[4] as string })
    } else if (whole) {
      const [, name, text, result] = whole as unknown as [string, string, string, string]
      calls.push({ name, text, begin: at, end: at, result })
    }
  }
  return calls
}

const isSync = ({ name, result }: Call): boolean => /^f(data)?sync$/.test(name) && result === '0'

describe.each(ADAPTERS)('adapter %s', (adapter) => {
  test('eight producers → each message is written and synced before its answer is sent', async ({ skip }) => {
    const dataDir = temporaryDirectory()
    const broker = await BrokerUnderTest.spawn({ adapter, dataDir })
    const calls = 'pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync'
    const trace = await attachStrace(broker.server.pid, ['-s', '9999', '-e', `trace=${calls}`])
    if (trace === null) return skip(NO_STRACE)

    const marks = new Map<number, string>()
    const produce = async (producer: number): Promise<void> => {
      for (let n = 0; n < EACH; n++) {
        const mark = `mark-${producer}-${n}-`
        marks.set(await broker.send(`pump-${producer}`, { command: 'start', data: { mark } }), mark)
      }
    }
    await Promise.all(Array.from({ length: PRODUCERS }, (_, producer) => produce(producer)))
    const all = callsOf(await trace.stop())

    expect(marks.size).toBe(PRODUCERS * EACH)
    const log = `<${databaseIn(dataDir)}-wal>`
    const written = all.filter(({ name, text }) => name.startsWith('pwrite') && text.includes(log))
    const synced = all.filter((call) => isSync(call) && call.text.includes(log))
    const sent = all.filter(({ text }) => /^\d+<(socket|TCP)/.test(text) && text.includes('HTTP/1.1 200'))
    for (const [id, mark] of marks) {
      const write = written.find(({ text }) => text.includes(mark))
      const answer = sent.find(({ text }) => text.includes(`{\\"id\\":${id},`))
      if (!write || !answer)
        throw new Error(`message ${id} is not in the trace: ${write ? 'no answer' : 'no write'}`)
      expect(
        synced.some(({ begin, end }) => begin > write.end && end < answer.begin),
        `a sync between the write of message ${id} and its answer`,
      ).toBe(true)
    }
  })
})

test('db backup: a trace of its calls → the file is synced before it gets its name', async ({ skip }) => {
  const dataDir = temporaryDirectory()
  const broker = await BrokerUnderTest.spawn({ dataDir })
  await broker.send('pump', { command: 'start' })
  const directory = temporaryDirectory()
  const output = join(temporaryDirectory(), 'trace')
  const backup = join(directory, 'backup.db')
  const command = [process.execPath, ...CLONE, 'db', 'backup', backup, '--data-dir', dataDir]
  const calls = 'trace=fsync,fdatasync,rename,renameat,renameat2'
  const traced = spawnSync('strace', ['-f', '-y', '-o', output, '-e', calls, ...command], { cwd: PROJECT })
  if (traced.error || /ptrace/i.test(String(traced.stderr))) return skip(NO_STRACE)
  expect(traced.status).toBe(0)

  const all = callsOf(readFileSync(output, 'latin1').split('\n'))
  const renamed = all.findIndex(({ name, text }) => name.startsWith('rename') && text.includes(`"${backup}"`))
  expect(all.slice(0, renamed).some((call) => isSync(call) && call.text.includes(`<${backup}.`))).toBe(true)
  expect(all.slice(renamed).some((call) => isSync(call) && call.text.includes(`<${directory}>`))).toBe(true)
})

test('start with a log: a trace of its calls → the log is in the synced database, and empty, before it listens', async ({
  skip,
}) => {
  const dataDir = temporaryDirectory()
  const killed = await BrokerUnderTest.spawn({ dataDir })
  await killed.send('pump', { command: 'start' })
  await killed.server.kill('SIGKILL')
  // The start ends at an address in use, after it has tried to listen there.
  const other = await BrokerUnderTest.spawn()
  const { port } = new URL(other.server.url)
  const output = join(temporaryDirectory(), 'trace')
  const start = [...CLONE, '--host', `127.0.0.1:${port}`, '--mqtt', 'off', '--data-dir', dataDir]
  const calls = 'trace=pwrite64,fsync,fdatasync,ftruncate,bind'
  const traced = spawnSync('strace', ['-f', '-y', '-o', output, '-e', calls, process.execPath, ...start], {
    cwd: PROJECT,
  })
  if (traced.error || /ptrace/i.test(String(traced.stderr))) return skip(NO_STRACE)

  const all = callsOf(readFileSync(output, 'latin1').split('\n'))
  const database = databaseIn(dataDir)
  const at = (found: (call: Call) => boolean, from = 0): number =>
    all.findIndex((call, n) => n >= from && found(call))
  const listens = at(({ name, text }) => name === 'bind' && text.includes(`htons(${port})`))
  const copied = at(({ name, text }) => name === 'pwrite64' && text.includes(`<${database}>`))
  const synced = at((call) => isSync(call) && call.text.includes(`<${database}>`), copied)
  const emptied = at(({ name, text }) => name === 'ftruncate' && text.includes(`<${database}-wal>, 0`))
  const emptySynced = at((call) => isSync(call) && call.text.includes(`<${database}-wal>`), emptied)
  const order = [copied, synced, emptied, emptySynced, listens]
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})
