/** Defines the command line, and the exit of a failed command. Knows nothing of requests and messages. */
import { Command, CommanderError } from 'commander'
import { ConfigError, readSettings } from '../config/read.ts'
import type { Running } from '../main.ts'
import { addonProblem } from '../process/addons.ts'
import { createLog, logWritten } from '../process/create-log.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { Signals } from '../process/signals.ts'
import { PermanentStartError, StartError } from '../process/start-error.ts'
import { version } from '../process/version.ts'
import { allowGrowth } from '../process/young-generation.ts'
import { addExamples } from '../runner/examples.ts'
import { TreeError } from '../web/handler.ts'
import { ServicesError } from '../web/lifecycle.ts'
import type { Output } from './remote.ts'
import { type Flags, settingOptions, settingsHelp, valuesBySetting } from './setting-options.ts'
import { isHelpWritten, usageLines, usageText, withCommand } from './usage.ts'

export { EXIT }

/**
 * Runs one command.
 *
 * @param onRunning called when a server listens; the command then ends, and the process continues
 * @returns the exit code; undefined while a server runs
 */
export async function run(
  argv: readonly string[],
  io: Output,
  onRunning: (running: Running, signals: Signals) => void,
): Promise<number | undefined> {
  let running = false
  const isJson = argv.includes('--json')
  const args = withCommand(argv)
  try {
    const program = await createProgram(args, io, (...started) => {
      running = true
      onRunning(...started)
    })
    await program.parseAsync(args, { from: 'user' })
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

/** Errors that a restart cannot fix. */
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

/**
 * Creates the commands.
 *
 * @param argv arguments; if they name `serve`, the other commands are omitted
 * @param onRunning called when a server listens
 */
export async function createProgram(
  argv: readonly string[],
  io: Output,
  onRunning: (running: Running, signals: Signals) => void,
): Promise<Command> {
  // Subcommands inherit exitOverride, so call it before creating them.
  const program = new Command('waybill')
    .description('Delivers commands to devices: a durable queue for each device, over REST and MQTT.')
    .version(version())
    .exitOverride()
    // Flags after the name of a subcommand belong to the subcommand alone.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => {
      if (command !== serve) allowGrowth()
    })
    // Errors of Commander are written like all others, so this output only has help.
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => {} })
    .addHelpText('after', `\n${settingsHelp()}`)
  const serve: Command = program
    .command('serve')
    .description('run the server (default)')
    .action(async (flags: Flags) => {
      const settings = readSettings({ flags: valuesBySetting(flags) })
      const log = await createLog(settings.logLevel)
      const signals = new Signals(log)
      try {
        // Imported on demand, so that other commands need not load the modules of the broker.
        const { start } = await import('../main.ts')
        const running = await start(settings, log)
        allowGrowth()
        onRunning(
          { ...running, close: (...how) => running.close(...how).finally(() => logWritten(log)) },
          signals,
        )
      } catch (error) {
        signals.close()
        await logWritten(log)
        throw error
      }
    })
  for (const option of settingOptions()) serve.addOption(option)
  addExamples(serve, [
    'serve',
    'serve --host 0.0.0.0:8080 --data-dir /var/lib/waybill',
    '--prefix endpoints --prefix @broker',
  ])
  if (argv[0] !== 'serve') {
    // Imported on demand, because a server keeps what it loads. The other commands and their libraries take 1.7 MB.
    const { addCommands } = await import('./commands.ts')
    addCommands(program, io)
  }
  return program
}
