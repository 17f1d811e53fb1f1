/** `waybill messages`: lists messages, newest first. */
import type { Command } from 'commander'
import type { Client, Message, MessageQuery } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { addMessageFilters, type MessageFlags, messageQuery } from './message-filters.ts'
import { addMessageShow } from './message-show.ts'
import { type Output, remote } from './remote.ts'
import type { Column } from './table.ts'
import { statusText } from './text.ts'
import { localTime } from './times.ts'

interface Flags extends MessageFlags {
  readonly limit: number
}

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
  const messages = program
    .command('messages')
    .alias('message')
    .description('list messages, newest first; "messages show ID" shows one')
    .argument('[device]', 'only messages of this device')
  addMessageFilters(messages).option('--limit <n>', 'maximum messages', count, 50)
  remote<Flags, [device?: string]>(messages, output, async ({ client, flags, list }, device) => {
    const none = device === undefined ? 'no message matches' : `no message of the device "${device}" matches`
    const { limit } = flags
    const query = messageQuery(flags, device === undefined ? [] : [device])
    const page = { ...query, details: true, limit: Math.min(limit, PAGE) }
    await list(found(client, page, limit), COLUMNS, none)
  })
  addExamples(messages, [
    'messages',
    'messages pump-1 --status NOT_DELIVERED',
    'messages --since 2h --sender shop --json',
    'messages --failed --no-resent --text valve',
    'messages show 7',
  ])
  addMessageShow(messages, output)
}

async function* found(client: Client, query: MessageQuery, limit: number): AsyncGenerator<Listed> {
  let left = limit
  // JSON.parse may have changed the numbers of `data`; "messages show" prints them as sent.
  for await (const { data: _, ...message } of client.messages(query)) {
    yield message
    if (--left === 0) return
  }
}
