/** Defines the command line, and how a failed command ends. Knows nothing of requests and messages. */
import { Command, CommanderError, Option } from 'commander'
import { siteOf } from './app/site.ts'
import { addAudit } from './cli/audit.ts'
import { addCancel } from './cli/cancel.ts'
import { addClientPassword } from './cli/client-password.ts'
import { addClients } from './cli/clients.ts'
import { addCompletion } from './cli/completion.ts'
import { addContexts } from './cli/context.ts'
import { addDbCommands } from './cli/db.ts'
import { addDevices } from './cli/devices.ts'
import { addExamples, addExamplesTo } from './cli/examples.ts'
import { EXIT, Exit } from './cli/exit.ts'
import { addExport } from './cli/export.ts'
import { addKeys } from './cli/keys.ts'
import { addMessages } from './cli/messages.ts'
import { addNew } from './cli/new.ts'
import type { Output } from './cli/remote.ts'
import { addReplay } from './cli/replay.ts'
import { listRoutes, routesAsJson } from './cli/routes.ts'
import { explainRoute } from './cli/routes-explain.ts'
import { addSend } from './cli/send.ts'
import { addSimulate } from './cli/simulate.ts'
import { addStatus } from './cli/status.ts'
import { addToken } from './cli/token.ts'
import { isHelpWritten, usageLines, usageText, withCommand } from './cli/usage.ts'
import { addWatch } from './cli/watch.ts'
import type { Values } from './config/settings.ts'
import { defaultInWords, SETTINGS } from './config/table.ts'
import { ConfigError, readSettings } from './config.ts'
import type { Running } from './main.ts'
import { addonProblem } from './process/addons.ts'
import { createLog, logWritten } from './process/log.ts'
import { Signals } from './process/signals.ts'
import { PermanentStartError, StartError } from './process/start-error.ts'
import { version } from './process/version.ts'
import { parseDatabaseUrl } from './store/postgres/url.ts'
import { TreeError } from './web/handler.ts'
import { ServicesError } from './web/lifecycle.ts'
import type { Site } from './web/site.ts'

export { EXIT }

/**
 * Runs one command.
 *
 * @param onRunning called when a server listens; the command then ends, and the process goes on
 * @returns the exit code; undefined while a server runs
 */
export async function run(
  argv: readonly string[],
  io: Output,
  onRunning: (running: Running, signals: Signals) => void,
): Promise<number | undefined> {
  let running = false
  const isJson = argv.includes('--json')
  const program = createProgram(io, (...started) => {
    running = true
    onRunning(...started)
  })
  try {
    await program.parseAsync(withCommand(argv), { from: 'user' })
    return running ? undefined : EXIT.ok
  } catch (error) {
    const code = codeOf(error)
    const isReported =
      error instanceof CommanderError
        ? code === EXIT.ok || isHelpWritten(error)
        : error instanceof Exit && error.message === ''
    if (!isReported) io.err(`${isJson ? toJson(code, error) : toLines(error)}\n`)
    return code
  }
}

/** Errors that no restart cures. */
const PERMANENT = [ConfigError, PermanentStartError, TreeError]

function codeOf(error: unknown): number {
  if (addonProblem(error) !== null) return EXIT.configuration
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof Exit) return error.code
  const isPermanent = PERMANENT.some((kind) => error instanceof kind)
  return isPermanent ? EXIT.configuration : EXIT.failure
}

function textOf(error: unknown): string {
  const problem = addonProblem(error)
  if (problem !== null) return problem
  if (error instanceof CommanderError) return usageText(error)
  const kinds = [ConfigError, StartError, TreeError, ServicesError, Exit]
  const isExpected = kinds.some((kind) => error instanceof kind)
  return isExpected ? (error as Error).message : String((error as Error)?.stack ?? error)
}

function toJson(code: number, error: unknown): string {
  const [name] = Object.entries(EXIT).find(([, each]) => each === code) ?? []
  return JSON.stringify({ error: name, message: textOf(error) })
}

function toLines(error: unknown): string {
  if (error instanceof CommanderError) return usageLines(error)
  return textOf(error)
    .split('\n')
    .map((line) => `waybill: ${line}`)
    .join('\n')
}

/** Creates the commands. @param onRunning called when a server listens */
export function createProgram(io: Output, onRunning: (running: Running, signals: Signals) => void): Command {
  // Subcommands inherit exitOverride, so it is called before they are made.
  const program = new Command('waybill')
    .description('Delivers commands to devices: a durable queue for each device, over REST and MQTT.')
    .version(version())
    .exitOverride()
    // Flags behind the name of a subcommand belong to the subcommand alone.
    .enablePositionalOptions()
    // Errors of Commander are written as all others are, so here only help is left.
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => {} })
    .addHelpText('after', `\n${settingsHelp()}`)
  const serve = program
    .command('serve')
    .description('run the server (default)')
    .action(async (flags: Flags) => {
      const settings = readSettings({ flags: valuesBySetting(flags) })
      const log = await createLog(settings.logLevel)
      const signals = new Signals(log)
      try {
        // Imported here, so that other commands need not load the modules of the broker.
        const { start } = await import('./main.ts')
        const running = await start(settings, log)
        onRunning(
          { ...running, close: (...how) => running.close(...how).finally(() => logWritten(log)) },
          signals,
        )
      } catch (error) {
        signals.close()
        throw error
      }
    })
  for (const option of options()) serve.addOption(option)
  const routes = program
    .command('routes')
    .description('list every path: methods, path, file, class, access')
    .option('--json', 'print JSON: an object for each method and path, one a line')
    .option('--rules', 'show the rules of each method, and the file that declares each')
    .action(async (flags: Flags) => {
      const list = flags.json ? routesAsJson : listRoutes
      io.out(list(await treesOf(flags, io), { rules: flags.rules === true }))
    })
  addExamples(routes, ['routes', 'routes --rules --prefix endpoints', 'routes explain GET /auth/me'])
  const explainCommand = routes
    .command('explain <method> <path>')
    .description('show which handler answers a request, and the steps of the search')
    .option('--json', 'print JSON: what was found, and the steps')
    .action(async (method: string, path: string, flags: Flags, command: Command) => {
      const all = { ...command.optsWithGlobals<Flags>(), ...flags }
      const { text, found } = explainRoute(await treesOf(all, io), method, path)
      const steps = text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim())
      io.out(all.json ? `${JSON.stringify({ method, path, found, steps })}\n` : text)
      if (!found) throw new Exit(EXIT.failure)
    })
  addExamples(explainCommand, [
    'routes explain GET /auth/me',
    'routes explain PUT /producer/request/pump-1 --prefix @broker',
    'routes explain GET /admin/api/messages/7 --json',
  ])
  const types = program
    .command('types')
    .description('print TypeScript types of the API, for clients')
    .action(async (flags: Flags) => {
      const { typesOf } = await import('./cli/types.ts')
      io.out(await typesOf(await treesOf(flags, io)))
    })
  for (const command of [routes, explainCommand, types]) {
    for (const option of options(['prefixes'])) command.addOption(option)
  }
  const offline = {
    out: io.out,
    options: options(['dataDir', 'store']),
    settings: (flags: Flags) => readSettings({ flags: valuesBySetting(flags) }),
  }
  addDbCommands(program, {
    ...offline,
    dataDir: (flags) => sqliteDirectory(offline.settings(flags)),
  })
  addNew(program, { out: io.out, version: version() })
  const remotes = [
    addSend,
    addCancel,
    addReplay,
    addMessages,
    addExport,
    addStatus,
    addWatch,
    addSimulate,
    addDevices,
    addKeys,
    addAudit,
    addToken,
    addContexts,
    addCompletion,
  ]
  for (const add of remotes) add(program, io)
  addClientPassword(addClients(program, io), offline)
  addExamplesTo(program, {
    serve: [
      'serve',
      'serve --host 0.0.0.0:8080 --data-dir /var/lib/waybill',
      '--prefix endpoints --prefix @broker',
    ],
    types: ['types', 'types --prefix endpoints > api.d.ts'],
  })
  return program
}

type Flags = Record<string, unknown>

/** Returns the data directory. @throws {StartError} when the messages are in PostgreSQL, which has tools of its own */
function sqliteDirectory({ dataDir, store }: Values): string {
  if (store === null) return dataDir
  const { shown, schema } = parseDatabaseUrl(store)
  throw new StartError(
    `the messages are in ${shown}, and "waybill db" serves SQLite: back up with "pg_dump --format=custom --schema=${schema}" or pg_basebackup, restore with pg_restore, and check with pg_amcheck`,
  )
}

/** Names the file that holds settings, so it is no setting and has no row in the table. */
const CONFIG = { flag: '--config <file>', env: 'WAYBILL_CONFIG', meaning: 'YAML file of settings' }

async function treesOf(flags: Flags, io: Output): Promise<Site> {
  const site = await siteOf(readSettings({ flags: valuesBySetting(flags) }))
  for (const { text } of site.prefixes.flatMap(({ warnings }) => warnings)) io.err(`warning: ${text}\n`)
  return site
}

/** Returns one option for each flag of the table (--host sets two settings), and --config. */
function options(only?: readonly (keyof Values)[]): Option[] {
  const found = new Map<string, Option>()
  for (const { name, flag, meaning, schema } of SETTINGS) {
    if (flag === undefined || found.has(flag) || (only && !only.includes(name))) continue
    const option = new Option(flag, meaning)
    if (schema.type === 'array')
      option.argParser((value: string, before: string[] = []) => [...before, value])
    found.set(flag, option)
  }
  return [...found.values(), new Option(CONFIG.flag, CONFIG.meaning)]
}

/** Returns the values of the flags by setting. Commander has them by flag. */
function valuesBySetting(flags: Flags): Flags {
  const values: Flags = { host: flags.host, config: flags.config }
  for (const { name, flag } of SETTINGS) {
    if (flag === undefined || flag.startsWith('--host')) continue
    values[name] = flags[new Option(flag).attributeName()]
  }
  return values
}

function settingsHelp(): string {
  const config = `  ${CONFIG.flag}, ${CONFIG.env}\n      ${CONFIG.meaning} (default: none)`
  const rows = SETTINGS.map((setting) => {
    const { key, env, flag, meaning } = setting
    const names = [flag, env, key].filter((name) => name !== undefined).join(', ')
    return `  ${names}\n      ${meaning} (default: ${defaultInWords(setting)})`
  })
  return `Settings (flag, environment variable, property in the file of --config):\n${[config, ...rows].join('\n')}`
}
