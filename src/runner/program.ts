/** Defines the command line of `waybill-web`: the framework without the broker. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { parseAddress } from '../net/address.ts'
import { EXIT, Exit } from '../process/exit.ts'
import type { Log } from '../process/log.ts'
import { TreeError } from '../web/handler.ts'
import { ServicesError } from '../web/lifecycle.ts'
import { lineLog } from './line-log.ts'
import type { Served, ServeOptions } from './serve.ts'
import { addTreeCommands } from './tree-commands.ts'

const PACKAGE = 'waybill-web'
/** Versions of tsx that load the TypeScript of a project. */
const TSX_RANGE = '^4.23.0'
const DEFAULT_PREFIXES: readonly string[] = ['endpoints']
const DEFAULT_BODY_LIMIT = 262_144
const EXAMPLE_PREFIXES = [
  'routes explain GET /notes',
  'routes explain GET /notes/7 --prefix endpoints --json',
]

export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

interface ServeFlags {
  readonly prefix?: readonly string[]
  readonly host: { readonly address?: string; readonly port?: number }
  readonly adapter: 'node' | 'uws'
  readonly bodyLimit: number
  readonly watch?: boolean
}

/**
 * Runs one command.
 *
 * @param onServed called when a server listens; the command then ends, and the process continues
 * @returns the exit code; undefined while a server runs
 */
export async function runWeb(
  argv: readonly string[],
  { io, version, onServed }: { io: Io; version: string; onServed: (served: Served, watch: boolean) => void },
): Promise<number | undefined> {
  let isServing = false
  const program = new Command(PACKAGE)
    .description(
      'Serves endpoint files: a URL selects a file, a class in it, and the method named after the HTTP verb.',
    )
    .version(version)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
  addServe(program, lineLog(io.out), (served, watch) => {
    isServing = true
    onServed(served, watch)
  })
  addTreeCommands(program, {
    ...io,
    version,
    packageName: PACKAGE,
    manifest: { devDependencies: { tsx: TSX_RANGE } },
    options: () => [prefixOption()],
    siteOf: async ({ prefix }) =>
      (await import('./serve.ts')).readTrees((prefix ?? DEFAULT_PREFIXES) as readonly string[]),
    explained: EXAMPLE_PREFIXES,
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return isServing ? undefined : EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const code =
      error instanceof Exit ? error.code : error instanceof TreeError ? EXIT.configuration : EXIT.failure
    const text = textOf(error)
    if (text !== '') io.err(`${text.replaceAll(/^/gm, `${PACKAGE}: `)}\n`)
    return code
  }
}

function textOf(error: unknown): string {
  const isExpected = [Exit, TreeError, ServicesError].some((kind) => error instanceof kind)
  const { message, stack, code } = error as NodeJS.ErrnoException
  // A failed system call, or a package that is not installed.
  return isExpected || code !== undefined ? message : String(stack ?? error)
}

function addServe(program: Command, log: Log, onServed: (served: Served, watch: boolean) => void): void {
  program
    .command('serve', { isDefault: true })
    .description('run the server (default)')
    .addOption(prefixOption())
    .addOption(
      new Option('--host <host:port>', 'address to listen on; 0.0.0.0 for all addresses of this machine')
        .env('HOST')
        .default({}, '127.0.0.1:8080')
        .argParser(addressOf),
    )
    .addOption(
      new Option('--adapter <name>', 'HTTP server: node, or uws (faster; needs uWebSockets.js)')
        .choices(['node', 'uws'])
        .default('node'),
    )
    .addOption(
      new Option('--body-limit <bytes>', 'maximum size of a request body')
        .default(DEFAULT_BODY_LIMIT)
        .argParser(bytesOf),
    )
    .option('--watch', 'reload endpoint files when they change, for development')
    .action(async ({ prefix = DEFAULT_PREFIXES, host, adapter, bodyLimit, watch = false }: ServeFlags) => {
      const { serve } = await import('./serve.ts')
      const { address = '127.0.0.1', port = 8080 } = host
      const options: ServeOptions = { prefixes: prefix, host: address, port, adapter, bodyLimit, watch }
      onServed(await serve(options, log), watch)
    })
}

function prefixOption(): Option {
  return new Option(
    '--prefix <dir>',
    'directory of endpoint files; may be repeated (default: endpoints); @docs stands for the API description, /v3/api-docs',
  ).argParser((value: string, before: readonly string[] = []) => [...before, value])
}

function addressOf(text: string): NonNullable<ReturnType<typeof parseAddress>> {
  const parsed = parseAddress(text)
  if (parsed === null) throw new InvalidArgumentError('Expected HOST:PORT, HOST or PORT.')
  return parsed
}

function bytesOf(text: string): number {
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < 1) throw new InvalidArgumentError('Expected a number of bytes.')
  return bytes
}
