/** Gives commands that call a server their common flags, a client, and one way to print results and errors. */
import { type Command, Option } from 'commander'
import { Client, ConnectionError, RequestError, TimeoutError } from '../client/index.ts'
import { isRawJson } from '../web/endpoint.ts'
import { EXIT, Exit } from './exit.ts'
import { type Items, printList } from './list.ts'
import type { Column } from './table.ts'
import type { Terminal } from './text.ts'

export interface RemoteFlags {
  readonly url: string
  readonly user?: string
  readonly password?: string
  readonly token?: string
  readonly json?: true
}

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Undefined when the output is no terminal. */
  readonly terminal?: Terminal | undefined
}

export interface Remote<Flags> {
  readonly client: Client
  readonly flags: Flags
  /** Prints one result as a line of text, or with --json as a line of JSON. Null: there is no text. */
  readonly print: (value: unknown, text: string | null) => void
  /** Prints items as a table, or with --json each as a line of JSON. @param none sentence for standard error if there are none */
  readonly list: <Item>(items: Items<Item>, columns: readonly Column<Item>[], none: string) => Promise<void>
  /** Prints a line on standard error, beside the results. */
  readonly note: (text: string) => void
  readonly terminal: Terminal | undefined
}

/** Adds the common flags to a command, and runs `action` with a client and the arguments of the command. */
export function remote<Flags extends object, Arguments extends readonly unknown[] = readonly string[]>(
  command: Command,
  output: Output,
  action: (remote: Remote<Flags & RemoteFlags>, ...args: Arguments) => Promise<void>,
): Command {
  for (const option of options()) command.addOption(option)
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, command.registeredArguments.length) as unknown as Arguments
    const flags = flagsOf<Flags & RemoteFlags>(command)
    const { out, err, terminal } = output
    const isJson = flags.json === true
    const print = (value: unknown, text: string | null): void => {
      const line = isJson ? (isRawJson(value) ? value.text : JSON.stringify(value)) : text
      if (line !== null) out(`${line}\n`)
    }
    const note = (text: string): void => err(`waybill: ${text}\n`)
    const list: Remote<Flags>['list'] = (items, columns, none) =>
      printList(items, columns, { out, note, isJson, none, terminal })
    try {
      await action({ client: clientOf(flags), flags, print, list, note, terminal }, ...args)
    } catch (error) {
      throw exitOf(error, flags)
    }
  })
}

/** Returns the flags of a command. Flags before the name of a subcommand count unless they are repeated behind it. */
function flagsOf<All extends object>(command: Command): All {
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli')
  return { ...command.optsWithGlobals<All>(), ...Object.fromEntries(own) }
}

function options(): Option[] {
  return [
    new Option('--url <url>', 'URL of the server').env('WAYBILL_URL').default('http://127.0.0.1:8080'),
    new Option('--user <deviseId>', 'client to log in as').env('WAYBILL_USER'),
    new Option('--password <password>', 'password of that client').env('WAYBILL_PASSWORD'),
    new Option('--token <token>', 'token or API key, in place of user and password').env('WAYBILL_TOKEN'),
    new Option('--json', 'print each result as a line of JSON'),
  ]
}

function clientOf({ url, user, password, token }: RemoteFlags): Client {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Exit(EXIT.usage, `--url: expected http://HOST:PORT, not ${JSON.stringify(url)}`)
  }
  const credentials = user !== undefined && password !== undefined ? { deviceId: user, password } : undefined
  return new Client({ url, token: credentials ? undefined : token, credentials })
}

const NO_CREDENTIALS =
  'log in with --user and --password, WAYBILL_USER and WAYBILL_PASSWORD, or WAYBILL_TOKEN.'
const WRONG_CREDENTIALS = 'wrong user or password, or the token or key is invalid or expired.'

function exitOf(error: unknown, { user, token }: RemoteFlags): unknown {
  if (error instanceof ConnectionError) return new Exit(EXIT.cannotConnect, error.message)
  if (error instanceof TimeoutError) return new Exit(EXIT.timeout, error.message)
  if (!(error instanceof RequestError)) return error
  const { status, message } = error
  if (status === 401) {
    const cause = user === undefined && token === undefined ? NO_CREDENTIALS : WRONG_CREDENTIALS
    return new Exit(EXIT.notAllowed, `${message}: ${cause}`)
  }
  if (status === 403)
    return new Exit(EXIT.notAllowed, `${message.replace(/\.$/, '')}: log in as a client with role MAN.`)
  return new Exit(status === 404 ? EXIT.notFound : EXIT.failure, message)
}
