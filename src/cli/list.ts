/** `waybill list`: lists messages, newest first. */
import { type Command, Option } from 'commander'
import { type DeliveryStatus, type MessageQuery, STATUSES } from '../client/index.ts'
import { count } from './arguments.ts'
import { EXIT, Exit } from './exit.ts'
import { type Output, remote } from './remote.ts'

interface Flags {
  readonly parked?: true
  readonly device?: string
  readonly status?: DeliveryStatus
  readonly limit: number
}

/** Maximum messages of one page of the API. */
const PAGE = 500

export function addList(program: Command, output: Output): void {
  const command = program
    .command('list')
    .description('list messages, newest first: id, status, cause, device, command, time')
    .option('--parked', 'only parked messages, which "waybill replay" returns to their queues')
    .option('--device <device>', 'only messages of this device')
    .addOption(new Option('--status <status>', 'only messages with this status').choices(STATUSES))
    .option('--limit <n>', 'maximum messages', count, 50)
  remote<Flags>(command, output, async ({ client, flags, print }) => {
    let left = flags.limit
    for await (const { data: _, ...message } of client.messages(queryOf(flags))) {
      const { id, deliveryStatus, cause, deviseId, command: name, createdDate } = message
      const columns = [id, deliveryStatus, cause ?? '-', deviseId, name, new Date(createdDate).toISOString()]
      print(message, columns.join('\t'))
      if (--left === 0) return
    }
  })
}

function queryOf({ parked, device, status, limit }: Flags): MessageQuery {
  if (parked && status !== undefined && status !== 'UNKNOWN') {
    throw new Exit(EXIT.usage, `--parked: a parked message is UNKNOWN, not ${status}; leave out --status`)
  }
  return {
    ...(device !== undefined && { deviseId: device }),
    ...(status !== undefined && { status }),
    ...(parked && { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }),
    details: true,
    limit: Math.min(limit, PAGE),
  }
}
