/** `waybill cancel`: cancels one message, or the pending messages of a device. */
import type { Command } from 'commander'
import { RequestError } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, type RemoteFlags, remote } from './remote.ts'

interface Flags {
  readonly device?: string
  readonly command?: string
  readonly force?: boolean
}

type Context = Remote<Flags & RemoteFlags>

export function addCancel(program: Command, output: Output): void {
  const command = program
    .command('cancel')
    .argument('[id]', 'id of the message', count)
    .description('cancel a message, or the pending messages of a device')
    .option('--device <device>', 'cancel the pending messages of this device, at most 10000')
    .option('--command <name>', 'only messages with this command; with --device')
    .option('--force', 'also cancel messages that were dispatched; their device may have them')
  remote<Flags, [id?: number]>(command, output, async (context, id) => {
    const { device, command: name } = context.flags
    if ((id === undefined) === (device === undefined)) {
      throw new Exit(EXIT.usage, 'give the id of a message, or --device with the id of a device')
    }
    if (id === undefined) return cancelAll(context, device as string)
    if (name !== undefined) throw new Exit(EXIT.usage, '--command needs --device, not the id of a message')
    return cancelOne(context, id)
  })
  addExamples(command, ['cancel 7', 'cancel 7 --force', 'cancel --device pump-1 --command start'])
}

async function cancelOne({ client, flags: { force = false }, print }: Context, id: number): Promise<void> {
  try {
    const { deliveryStatus, handedOver } = await client.cancel(id, { force })
    const text = `${id} ${deliveryStatus}${handedOver ? ', but its device may have it' : ''}`
    print({ id, deliveryStatus, handedOver }, text)
  } catch (error) {
    if (force || !isInFlight(error)) throw error
    throw new Exit(
      EXIT.failure,
      `Message ${id} was dispatched, and its device may have it. Add --force to cancel it anyway, or wait for its end.`,
    )
  }
}

/** Returns whether a cancellation was refused because the message was dispatched and not acknowledged. */
function isInFlight(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.status !== 409) return false
  return (error.body as { deliveryStatus?: string } | null)?.deliveryStatus === 'NOT_DELIVERED'
}

async function cancelAll({ client, flags, print }: Context, deviceId: string): Promise<void> {
  const { command, force = false } = flags
  const all = await client.cancelAll(deviceId, { command, force })
  const { cancelled, handedOver } = all
  const lines = [`${cancelled.length} cancelled`]
  if (handedOver.length > 0) {
    const fate = force
      ? 'were dispatched before'
      : 'were dispatched and stay pending: add --force to cancel them'
    lines.push(`${handedOver.length} ${fate}`)
  }
  print(all, lines.join('\n'))
}
