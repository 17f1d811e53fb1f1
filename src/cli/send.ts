/** `waybill send`: sends a command to a device, and optionally waits for its end. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { TERM_LIST, type TermName } from '../broker/vocabulary/term-table.ts'
import {
  type Client,
  type DeliveryStatus,
  type SendOptions,
  STATUS_KINDS,
  type StatusKind,
  TimeoutError,
} from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { RawJson } from '../web/endpoint.ts'
import { extractRawMembers } from '../web/json.ts'
import { count, seconds } from './arguments.ts'
import { JSON_SOURCES, jsonInput } from './input.ts'
import { type Output, remote } from './remote.ts'

/** Flags that become options of the submit. Commander gives them the client's option names. */
type SubmitFlags = Pick<SendOptions, TermName | 'guarantee' | 'replaces' | 'idempotencyKey'>

interface Flags extends SubmitFlags {
  readonly data?: string
  readonly wait?: true
  readonly timeout: number
}

/** Exit codes by the kind of the last status. */
const EXIT_CODES = {
  pending: EXIT.ok,
  delivered: EXIT.ok,
  succeeded: EXIT.ok,
  failed: EXIT.completedWithError,
  withdrawn: EXIT.cancelled,
  unclear: EXIT.unknown,
} as const satisfies Record<StatusKind, number>

export function addSend(program: Command, output: Output): void {
  const command = program
    .command('send <device> <command>')
    .description('send a command to a device')
    .option('--data <json>', `parameters of the command, a JSON object, sent byte for byte; ${JSON_SOURCES}`)
    .addOption(
      new Option('--guarantee <guarantee>', 'delivery guarantee').choices([
        'NO',
        'RECEIPT_CONFIRMATION',
        'ONLY_LAST',
      ]),
    )
  for (const { name, type, flag } of TERM_LIST) {
    if (type === 'text') command.option(`--${flagOf(name)} <text>`, flag)
    else command.option(`--${flagOf(name)} <n>`, flag, count)
  }
  command
    .option('--replaces <id>', 'cancel this message of the device, if it was never dispatched', count)
    .option('--idempotency-key <key>', 'repeat the submit with this key without a second message', key)
    .option('--wait', 'wait until the command has ended')
    .option('--timeout <seconds>', 'maximum time that --wait takes', seconds, 30)
  addExamples(command, [
    `send pump-1 start --data '{"speed":1.0}' --wait`,
    'send pump-1 configure --data @settings.json --valid-seconds 3600',
    'send pump-1 configure --data - < settings.json',
  ])
  remote<Flags>(command, output, async ({ client, flags, print, output: io }, device, name) => {
    const { data, wait, timeout, ...options } = flags
    const sent = await client.send(device as string, name as string, await dataOf(data, io), options)
    const { id } = sent
    let status = sent.deliveryStatus
    let report = NO_REPORT
    try {
      if (wait) {
        status = await client.waitFor(id, undefined, { timeoutMs: timeout * 1000 })
        report = await reportOf(client, id)
      }
    } catch (error) {
      if (error instanceof TimeoutError) status = error.status
      throw error
    } finally {
      // The message is stored, whatever the result of the wait.
      print(toJson(id, status, wait ? report : null), toLine(id, status, report))
    }
    const code = EXIT_CODES[STATUS_KINDS[status]]
    if (code !== EXIT.ok) throw new Exit(code)
  })
}

/** Returns the flag of a term, which Commander converts back into the name of the term. */
function flagOf(name: TermName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

interface Report {
  readonly reason: string
  readonly result: string
}

const NO_REPORT: Report = { reason: 'null', result: 'null' }
const RESULT = new Set(['result'])

/** Reads the report of the device. The response is read as text, so that the result keeps its digits. */
async function reportOf(client: Client, id: number): Promise<Report> {
  const params = { path: { messageId: id }, query: { details: true } }
  const text = (await client.call((api) =>
    api.GET('/producer/getMessageStatus/{messageId}', { params, parseAs: 'text' }),
  )) as unknown as string
  const members: Record<string, unknown> = JSON.parse(text)
  extractRawMembers(members, Buffer.from(text), RESULT, RESULT)
  const { reason = null, result = null } = members
  return { reason: JSON.stringify(reason), result: result === null ? 'null' : (result as RawJson).text }
}

function toJson(id: number, status: DeliveryStatus, report: Report | null): RawJson {
  const reported = report ? `,"reason":${report.reason},"result":${report.result}` : ''
  // A JSON string has no line feed, so only white space between tokens is replaced.
  return new RawJson(`{"id":${id},"deliveryStatus":"${status}"${reported}}`.replace(/[\r\n]+/g, ' '))
}

function toLine(id: number, status: DeliveryStatus, { reason }: Report): string {
  return reason === 'null' ? `${id} ${status}` : `${id} ${status} ${reason}`
}

const OBJECT = `a JSON object, such as '{"speed":1}'`

/** Returns the text of --data. @throws {Exit} when it is not a JSON object */
async function dataOf(value: string | undefined, output: Output): Promise<string | undefined> {
  if (value === undefined) return undefined
  const text = await jsonInput('--data', value, OBJECT, output)
  if (/^\s*\{/.test(text)) return text
  throw new Exit(EXIT.usage, `--data: expected ${OBJECT}`)
}

function key(text: string): string {
  if (/^[!-~]{1,64}$/.test(text)) return text
  throw new InvalidArgumentError('Expected 1 to 64 printable ASCII characters without spaces.')
}
