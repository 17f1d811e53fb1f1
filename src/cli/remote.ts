/** Gives commands that call a server their common flags, a client, and a uniform way to print results and errors. */
import type { Command } from 'commander'
import { Client, ConnectionError, RequestError, TimeoutError } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { isRawJson } from '../web/endpoint.ts'
import { type ConnectionFlags, connectionOptions, resolveConnection, serverUrl } from './connection.ts'
import { type Items, printList } from './list.ts'
import type { Column } from './table.ts'
import type { Terminal } from './text.ts'
import { isCertificateError, type Trust, trustingFetch, trustOf, UNTRUSTED_CURE } from './tls.ts'

export interface RemoteFlags extends ConnectionFlags {
  readonly json?: true
}

export interface Output {
  readonly out: (text: string) => void
  /** Writes a line for people that is neither a result nor an error. */
  readonly err: (text: string) => void
  readonly terminal?: Terminal | undefined
  /** Resolves when the output accepts more; undefined for an output that never blocks. */
  readonly drained?: () => Promise<void>
  /** Reads standard input to its end. Without this function standard input is empty. */
  readonly input?: () => Promise<string>
  /**
   * Returns a signal that aborts on Ctrl-C or SIGTERM. A command that calls this function has to end by itself; any
   * other command is ended by the operating system.
   */
  readonly interruption?: () => AbortSignal
}

export interface Remote<Flags> {
  readonly client: Client
  readonly flags: Flags
  /** Prints one result as a line of text, or with --json as a line of JSON. Null prints no text. */
  readonly print: (value: unknown, text: string | null) => void
  /**
   * Prints items as a table, or with --json as one line of JSON each. @param none sentence for standard error if there
   * are no items
   */
  readonly list: <Item>(items: Items<Item>, columns: readonly Column<Item>[], none: string) => Promise<void>
  /** Writes a line for people to standard error; nothing with --json. */
  readonly note: (text: string) => void
  readonly output: Output
  /** Certificates trusted because of --cacert and --insecure. */
  readonly trust: Trust
}

/** Adds the common flags to a command, and runs `action` with a client and the arguments of the command. */
export function remote<Flags extends object, Arguments extends readonly unknown[] = readonly string[]>(
  command: Command,
  output: Output,
  action: (remote: Remote<Flags & RemoteFlags>, ...args: Arguments) => Promise<void>,
): Command {
  for (const option of connectionOptions()) command.addOption(option)
  command.option('--json', 'print each result as a line of JSON')
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, command.registeredArguments.length) as unknown as Arguments
    const flags = resolveConnection<Flags & RemoteFlags>(command)
    const trust = trustOf(flags)
    const { out, err, terminal } = output
    const isJson = flags.json === true
    const print = (value: unknown, text: string | null): void => {
      const line = isJson ? (isRawJson(value) ? value.text : JSON.stringify(value)) : text
      if (line !== null) out(`${line}\n`)
    }
    const note = (text: string): void => {
      if (!isJson) err(`waybill: ${text}\n`)
    }
    const list: Remote<Flags>['list'] = (items, columns, none) =>
      printList(items, columns, { out, note, isJson, none, terminal })
    try {
      await action({ client: clientOf(flags, trust), flags, print, list, note, output, trust }, ...args)
    } catch (error) {
      throw exitOf(error, flags)
    }
  })
}

function clientOf({ url, user, password, token }: RemoteFlags, trust: Trust): Client {
  const credentials = user !== undefined && password !== undefined ? { deviceId: user, password } : undefined
  const trustsOthers = Object.keys(trust).length > 0 && serverUrl(url).startsWith('https:')
  return new Client({
    url: serverUrl(url),
    token: credentials ? undefined : token,
    credentials,
    fetch: trustsOthers ? trustingFetch(trust) : undefined,
  })
}

const NO_CREDENTIALS =
  'log in with --user and --password, WAYBILL_USER and WAYBILL_PASSWORD, WAYBILL_TOKEN, or --context.'
const WRONG_CREDENTIALS = 'wrong user or password, or the token or key is invalid or expired.'

function exitOf(error: unknown, { user, token }: RemoteFlags): unknown {
  if (error instanceof ConnectionError) {
    const { message } = error
    // The address is right, so replace the advice to check it.
    const text = isCertificateError(error) ? message.replace(/Check the address.*/, UNTRUSTED_CURE) : message
    return new Exit(EXIT.cannotConnect, text)
  }
  if (error instanceof TimeoutError) return new Exit(EXIT.timeout, error.message)
  if (!(error instanceof RequestError)) return error
  const { status, message } = error
  if (status === 401) {
    const cause = user === undefined && token === undefined ? NO_CREDENTIALS : WRONG_CREDENTIALS
    return new Exit(EXIT.notAllowed, `Unauthorized: ${cause}`)
  }
  if (status === 403) return new Exit(EXIT.notAllowed, message)
  return new Exit(status === 404 ? EXIT.notFound : EXIT.failure, message)
}
