/** `waybill export`: writes all matching messages to a file or to standard output. */
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { type Command, Option } from 'commander'
import type { Client, MessageQuery } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { addMessageFilters, type MessageFlags, messageQuery } from './message-filters.ts'
import { type Output, remote } from './remote.ts'

const FORMATS = ['csv', 'jsonl'] as const
type Format = (typeof FORMATS)[number]

interface Flags extends MessageFlags {
  readonly format: Format
  readonly output?: string
  readonly force?: true
}

const CUT_OFF = 'the connection was lost during the export, so it is not whole: repeat it'

export function addExport(program: Command, output: Output): void {
  const command = program
    .command('export')
    .description('write all messages that match, newest first, as CSV or as lines of JSON')
    .argument('[devices...]', 'only messages of these devices, at most 20')
    .addOption(new Option('--format <format>', 'format of the file').choices(FORMATS).default('csv'))
    .option('-o, --output <file>', 'file to write; without it the standard output')
    .option('--force', 'replace the file if it exists')
  addMessageFilters(command)
  remote<Flags, [devices: string[]]>(command, output, async ({ client, flags }, devices) => {
    const { output: file, force } = flags
    if (file !== undefined && existsSync(file) && !force) {
      throw new Exit(EXIT.usage, `${file} exists already: name another file, or replace it with --force`)
    }
    const content = await exported(client, messageQuery(flags, devices), flags.format)
    if (file === undefined) await print(content, output)
    else await write(content, file)
  })
  addExamples(command, [
    'export --since 7d --output week.csv',
    'export pump-1 pump-2 --failed --format jsonl',
    'export --text valve --since 2026-01-31 --until 2026-02-01',
    'export --status CANCELLED --changed-since 1d',
  ])
}

async function exported(client: Client, query: MessageQuery, format: Format): Promise<Readable> {
  const { details: _, before: __, limit: ___, ...conditions } = query
  const params = { query: { ...conditions, format } }
  const body = await client.call((api) =>
    api.GET('/admin/api/messages/export', { params, parseAs: 'stream' }),
  )
  return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([])
}

/** Prints a stream as fast as the output accepts it. @throws {Exit} */
async function print(content: Readable, { out, drained }: Output): Promise<void> {
  content.setEncoding('utf8')
  try {
    for await (const text of content) {
      out(text as string)
      await drained?.()
    }
  } catch {
    throw new Exit(EXIT.failure, CUT_OFF)
  }
}

/** Writes a file, which appears only when it is complete. @throws {Exit} */
async function write(content: Readable, file: string): Promise<void> {
  const partial = `${file}.${process.pid}.partial`
  try {
    await pipeline(content, createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    renameSync(partial, file)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    throw new Exit(
      EXIT.failure,
      syscall === undefined ? CUT_OFF : `${file} cannot be written (${code}): choose another file`,
    )
  } finally {
    rmSync(partial, { force: true })
  }
}
