/** `waybill messages`: lists messages, newest first. */
import { type Command, Option } from 'commander'
import {
  type Client,
  type DeliveryStatus,
  type Message,
  type MessageQuery,
  STATUSES,
} from '../client/index.ts'
import { count } from './arguments.ts'
import { addExamples } from './examples.ts'
import { EXIT, Exit } from './exit.ts'
import { addMessageShow } from './message-show.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { statusText } from './text.ts'
import { localTime, pastTime, TIME_FORMS } from './times.ts'

interface Flags {
  readonly parked?: true
  readonly status?: DeliveryStatus
  readonly command?: string
  readonly sender?: string
  readonly since?: number
  readonly until?: number
  readonly limit: number
}

/** Maximum messages of one page of the API. */
const PAGE = 500

type Listed = Omit<Message, 'data'>

const COLUMNS: readonly Column<Listed>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'STORED', cell: ({ createdDate }) => localTime(createdDate) },
  { heading: 'DEVICE', cell: ({ deviseId }) => deviseId, isLong: true },
  { heading: 'COMMAND', cell: ({ command }) => command, isLong: true },
  { heading: 'STATUS', cell: ({ deliveryStatus }) => statusText(deliveryStatus) },
  { heading: 'CAUSE', cell: ({ cause = '' }) => cause },
]

export function addMessages(program: Command, output: Output): void {
  const time = (text: string): number => pastTime(text, Date.now())
  const messages = program
    .command('messages')
    .alias('message')
    .description('list messages, newest first; "messages show ID" shows one')
    .argument('[device]', 'only messages of this device')
    .addOption(new Option('--status <status>', 'only messages with this status').choices(STATUSES))
    .option('--parked', 'only parked messages, which "waybill replay" returns to their queues')
    .option('--command <name>', 'only messages with this command')
    .option('--sender <client>', 'only messages that this client submitted')
    .option('--since <time>', `only messages stored at this time or later: ${TIME_FORMS}`, time)
    .option('--until <time>', 'only messages stored before this time', time)
    .option('--limit <n>', 'maximum messages', count, 50)
  remote<Flags, [device?: string]>(messages, output, async ({ client, flags, list }, device) => {
    const none = device === undefined ? 'no message matches' : `no message of the device "${device}" matches`
    await list(found(client, queryOf(flags, device), flags.limit), COLUMNS, none)
  })
  addExamples(messages, [
    'messages',
    'messages pump-1 --status NOT_DELIVERED',
    'messages --since 2h --sender shop --json',
    'messages show 7',
  ])
  addMessageShow(messages, output)
}

async function* found(client: Client, query: MessageQuery, limit: number): AsyncGenerator<Listed> {
  let left = limit
  // JSON.parse may have changed the numbers of `data`; "messages show" prints them as they were sent.
  for await (const { data: _, ...message } of client.messages(query)) {
    yield message
    if (--left === 0) return
  }
}

function queryOf(flags: Flags, device: string | undefined): MessageQuery {
  const { parked, status, command, sender, since, until, limit } = flags
  if (parked && status !== undefined && status !== 'UNKNOWN') {
    throw new Exit(EXIT.usage, `--parked: a parked message is UNKNOWN, not ${status}; leave out --status`)
  }
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Exit(EXIT.usage, '--until: give a time after --since')
  }
  return {
    ...(device !== undefined && { deviseId: device }),
    ...(status !== undefined && { status }),
    ...(parked && { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }),
    ...(command !== undefined && { command }),
    ...(sender !== undefined && { senderDeviseId: sender }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
    details: true,
    limit: Math.min(limit, PAGE),
  }
}
