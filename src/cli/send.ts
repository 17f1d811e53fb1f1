/** `waybill send`: sends a command to a device, and can wait for its status. */
import { type Command, Option } from 'commander'
import { type DeliveryGuarantee, STATUS_KINDS, type StatusKind, TimeoutError } from '../client/index.ts'
import { seconds } from './arguments.ts'
import { EXIT, Exit } from './exit.ts'
import { type Output, remote } from './remote.ts'

interface Flags {
  readonly data?: string
  readonly guarantee?: DeliveryGuarantee
  readonly wait?: true
  readonly timeout: number
}

/** Exit codes by the kind of the last status that the command read. */
const EXIT_CODES = {
  pending: EXIT.ok,
  delivered: EXIT.ok,
  succeeded: EXIT.ok,
  failed: EXIT.completedWithError,
  withdrawn: EXIT.cancelled,
  unclear: EXIT.ok,
} as const satisfies Record<StatusKind, number>

export function addSend(program: Command, output: Output): void {
  const command = program
    .command('send <device> <command>')
    .description('send a command to a device')
    .option('--data <json>', 'parameters of the command, a JSON object; sent byte for byte')
    .addOption(
      new Option('--guarantee <guarantee>', 'delivery guarantee').choices([
        'NO',
        'RECEIPT_CONFIRMATION',
        'ONLY_LAST',
      ]),
    )
    .option('--wait', 'wait for a final status')
    .option('--timeout <seconds>', 'maximum time that --wait takes', seconds, 30)
  remote<Flags>(command, output, async ({ client, flags, print }, device, name) => {
    const { data, guarantee, wait, timeout } = flags
    const sent = await client.send(device as string, name as string, checkedObject(data), { guarantee })
    const { id } = sent
    let status = sent.deliveryStatus
    try {
      if (wait) status = await client.waitFor(id, undefined, { timeoutMs: timeout * 1000 })
    } catch (error) {
      if (error instanceof TimeoutError) status = error.status
      throw error
    } finally {
      // The message is stored, however the wait ends.
      print({ id, deliveryStatus: status }, `${id} ${status}`)
    }
    const code = EXIT_CODES[STATUS_KINDS[status]]
    if (code !== EXIT.ok) throw new Exit(code)
  })
}

/** Returns the text unchanged. @throws {Exit} when it is no JSON object */
function checkedObject(data: string | undefined): string | undefined {
  if (data === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (error) {
    throw new Exit(EXIT.usage, `--data: expected a JSON object: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return data
  throw new Exit(EXIT.usage, `--data: expected a JSON object, such as '{"speed":1}'`)
}
