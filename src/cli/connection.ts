/** Decides which server a command calls and with which login: flags, variables, a saved context, defaults. */
import { type Command, Option } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { contextNamed, contextPath, readContexts, type SavedContext, savedNames } from './context-file.ts'

export interface ConnectionFlags {
  readonly url: string
  readonly user?: string
  readonly password?: string
  readonly token?: string
  readonly cacert?: string
  readonly insecure?: true
  readonly context?: string
}

export function savedOptions(): Option[] {
  return [
    new Option('--url <url>', 'URL of the server').default('http://127.0.0.1:8080'),
    new Option('--user <deviseId>', 'client to log in as'),
    new Option('--password <password>', 'password of that client'),
    new Option('--token <token>', 'token or API key, in place of user and password'),
    new Option('--cacert <file>', 'PEM file of certificates to trust, in place of those of the system'),
    new Option('--insecure', 'trust any certificate; for tests only'),
  ]
}

/** Returns the flags that choose a server and a login, with their variables. */
export function connectionOptions(): Option[] {
  const options = savedOptions().map((option) => {
    return option.attributeName() === 'insecure' ? option : option.env(variableOf(option))
  })
  return [...options, new Option('--context <name>', 'saved server and login').env('WAYBILL_CONTEXT')]
}

const variableOf = (option: Option): string => `WAYBILL_${option.attributeName().toUpperCase()}`

/** Sources of values, the strongest first. A context named by a flag is as strong as the flag. */
const ORDERS = {
  named: ['cli', 'config', 'env', 'default'],
  selected: ['cli', 'env', 'config', 'default'],
} as const

/**
 * Completes the values of a parsed command. The saved context fills in values that flags and variables omit. Of token
 * and password, the one from the stronger source remains.
 *
 * @throws {Exit} when there is no such context
 */
export function resolveConnection<Flags extends ConnectionFlags>(command: Command): Flags {
  inheritFlags(command)
  const order = ORDERS[command.getOptionValueSource('context') === 'cli' ? 'named' : 'selected']
  const rank = (name: string): number => {
    const at = (order as readonly (string | undefined)[]).indexOf(command.getOptionValueSource(name))
    return at === -1 ? order.length : at
  }
  for (const [name, value] of Object.entries(contextFor(command) ?? {})) {
    if (rank(name) > order.indexOf('config')) command.setOptionValueWithSource(name, value, 'config')
  }
  const flags = command.opts<Flags>()
  if (flags.token === undefined) return flags
  const isWeaker = rank('token') >= Math.min(rank('user'), rank('password'))
  const hasLogin = flags.user !== undefined && flags.password !== undefined
  if (isWeaker && hasLogin) return { ...flags, token: undefined }
  return hasLogin ? { ...flags, user: undefined, password: undefined } : flags
}

/** Accepts flags before the name of a subcommand, unless they are repeated after it. */
function inheritFlags(command: Command): void {
  for (let group = command.parent; group !== null; group = group.parent) {
    for (const [name, value] of Object.entries(group.opts())) {
      const isGiven = group.getOptionValueSource(name) === 'cli'
      if (isGiven && command.getOptionValueSource(name) !== 'cli')
        command.setOptionValueWithSource(name, value, 'cli')
    }
  }
}

/**
 * Returns the context of a command; null without one, or if its URL is overridden, because its login must not be sent
 * to another server.
 */
function contextFor(command: Command): SavedContext | null {
  const { context: name } = command.opts<ConnectionFlags>()
  const isNamed = command.getOptionValueSource('context') === 'cli'
  if (!isNamed && command.getOptionValueSource('url') !== 'default') return null
  const saved = readContexts(contextPath())
  const wanted = name ?? saved.selected
  if (wanted === undefined) return null
  const context = contextNamed(saved, wanted)
  if (context) return context
  throw new Exit(EXIT.usage, `there is no context "${wanted}". ${savedNames(saved)}`)
}

/** Returns a valid server URL unchanged. @throws {Exit} */
export function serverUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Exit(
    EXIT.usage,
    `--url: expected http://HOST:PORT or https://HOST:PORT, not ${JSON.stringify(url)}`,
  )
}
