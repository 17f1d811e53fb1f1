/** `waybill replay`: returns parked messages to their queues. */
import type { Command } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, type RemoteFlags, remote } from './remote.ts'

interface Flags {
  readonly device?: string
  readonly command?: string
  readonly all?: true
}

type Context = Remote<Flags & RemoteFlags>

/** Messages per request. */
const PER_REQUEST = 500

export function addReplay(program: Command, output: Output): void {
  const command = program
    .command('replay')
    .argument('[id]', 'id of an UNKNOWN message', count)
    .description('return an UNKNOWN message, or all parked messages, to their place in the queue')
    .option('--device <device>', 'replay all parked messages of this device')
    .option('--all', 'replay all parked messages')
    .option('--command <name>', 'only messages with this command; with --device or --all')
  remote<Flags, [id?: number]>(command, output, async (context, id) => {
    const { client, flags, print } = context
    const given = [id, flags.device, flags.all].filter((each) => each !== undefined)
    if (given.length !== 1) throw new Exit(EXIT.usage, 'give the id of a message, --device DEVICE, or --all')
    if (id === undefined) return replayAll(context)
    if (flags.command !== undefined) {
      throw new Exit(EXIT.usage, '--command needs --device or --all, not the id of a message')
    }
    const deliveryStatus = await client.replay(id)
    print({ id, deliveryStatus }, `${id} ${deliveryStatus}`)
  })
  addExamples(command, [
    'messages --parked',
    'replay 7',
    'replay --device pump-1',
    'replay --all --command start',
  ])
}

/** Replays parked messages, request by request, until none is left or the rest stays parked. */
async function replayAll({ client, flags, print }: Context): Promise<void> {
  const body = { deviseId: flags.device, command: flags.command, limit: PER_REQUEST }
  const all: number[] = []
  for (;;) {
    const { replayed, left, skipped } = await client.call((api) =>
      api.POST('/admin/api/messages/replayAll', { body }),
    )
    all.push(...replayed)
    if (left > 0 && replayed.length > 0) continue
    const kept = skipped > 0 ? `, ${skipped} skipped: their queue is full or their validity is over` : ''
    print({ replayed: all, skipped }, `${all.length} replayed${kept}`)
    return
  }
}
