/** What all commands share that talk to a server: where it is, who asks, how they print and end. */
import { type Command, Option } from 'commander'
import { Client, ConnectionError, RequestError, TimeoutError } from '../client/index.ts'
import { isRawJson } from '../web/endpoint.ts'
import { EXIT, Exit } from './exit.ts'

export interface RemoteFlags {
  readonly url: string
  readonly user?: string
  readonly password?: string
  readonly token?: string
  readonly json?: true
}

export interface Output {
  readonly out: (text: string) => void
}

export interface Remote<Flags> {
  readonly client: Client
  readonly flags: Flags
  /** One result: a line of text, or of JSON with --json. */
  readonly print: (value: unknown, text: string) => void
}

/** Gives a command the flags of all of them, and runs `action` with a client. */
export function remote<Flags extends object>(
  command: Command,
  { out }: Output,
  action: (remote: Remote<Flags & RemoteFlags>, ...args: string[]) => Promise<void>,
): Command {
  for (const option of options()) command.addOption(option)
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, command.registeredArguments.length) as string[]
    const flags = command.opts<Flags & RemoteFlags>()
    const print = (value: unknown, text: string): void =>
      out(`${flags.json ? (isRawJson(value) ? value.text : JSON.stringify(value)) : text}\n`)
    try {
      await action({ client: clientOf(flags), flags, print }, ...args)
    } catch (error) {
      throw exitOf(error, flags)
    }
  })
}

function options(): Option[] {
  return [
    new Option('--url <url>', 'the server').env('WAYBILL_URL').default('http://127.0.0.1:8080'),
    new Option('--user <deviseId>', 'who asks').env('WAYBILL_USER'),
    new Option('--password <password>', 'its password').env('WAYBILL_PASSWORD'),
    new Option('--token <token>', 'instead of user and password').env('WAYBILL_TOKEN'),
    new Option('--json', 'print JSON, a line for each result'),
  ]
}

function clientOf({ url, user, password, token }: RemoteFlags): Client {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Exit(EXIT.usage, `--url: expected http://HOST:PORT, not ${JSON.stringify(url)}`)
  }
  const credentials = user !== undefined && password !== undefined ? { deviceId: user, password } : undefined
  return new Client({ url, token: credentials ? undefined : token, credentials })
}

const NOBODY = 'say who asks: --user and --password, WAYBILL_USER and WAYBILL_PASSWORD, or WAYBILL_TOKEN.'
const STRANGER = 'the user, the password or the token is wrong, or the token is over.'

function exitOf(error: unknown, { user, token }: RemoteFlags): unknown {
  if (error instanceof ConnectionError) return new Exit(EXIT.cannotConnect, error.message)
  if (error instanceof TimeoutError) return new Exit(EXIT.timeout, error.message)
  if (!(error instanceof RequestError)) return error
  const { status, message } = error
  if (status === 401) {
    const who = user === undefined && token === undefined ? NOBODY : STRANGER
    return new Exit(EXIT.notAllowed, `${message}: ${who}`)
  }
  if (status === 403) return new Exit(EXIT.notAllowed, `${message}: a client with another role may do that.`)
  return new Exit(status === 404 ? EXIT.notFound : EXIT.failure, message)
}
