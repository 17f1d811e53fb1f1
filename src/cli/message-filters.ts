/** Defines the flags that select messages, and converts them to a query. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type DeliveryStatus, type MessageQuery, STATUSES } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { count } from './arguments.ts'
import { pastTime, TIME_FORMS } from './times.ts'

export interface MessageFlags {
  readonly parked?: true
  readonly failed?: true
  readonly resent?: false
  readonly incident?: number
  readonly status?: DeliveryStatus
  readonly command?: string
  readonly sender?: string
  readonly search?: string
  readonly text?: string
  readonly since?: number
  readonly until?: number
  readonly changedSince?: number
  readonly changedUntil?: number
}

export function addMessageFilters(command: Command): Command {
  const time = (text: string): number => pastTime(text, Date.now())
  return command
    .addOption(new Option('--status <status>', 'only messages with this status').choices(STATUSES))
    .option('--parked', 'only parked messages, which "waybill replay" returns to their queues')
    .option('--failed', 'only messages that are COMPLETED_WITH_ERROR or UNKNOWN')
    .option('--no-resent', 'only messages whose command was not sent again')
    .option(
      '--incident <id>',
      'only messages that failed, were parked or were not finished in this incident',
      count,
    )
    .option('--command <name>', 'only messages with this command')
    .option('--sender <client>', 'only messages that this client submitted')
    .option('--search <text>', 'only messages with this text in their device id or command')
    .option('--text <text>', 'only messages with this text, of 3 characters or more, in their data', longText)
    .option('--since <time>', `only messages stored at this time or later: ${TIME_FORMS}`, time)
    .option('--until <time>', 'only messages stored before this time', time)
    .option('--changed-since <time>', 'only messages that last changed at this time or later', time)
    .option('--changed-until <time>', 'only messages that last changed before this time', time)
}

/** @throws {Exit} when flags contradict each other */
export function messageQuery(flags: MessageFlags, devices: readonly string[]): MessageQuery {
  const { parked, failed, resent, status, command, sender, search, text, since, until } = flags
  const { changedSince, changedUntil, incident } = flags
  if (parked && status !== undefined && status !== 'UNKNOWN') {
    throw new Exit(EXIT.usage, `--parked: a parked message is UNKNOWN, not ${status}; leave out --status`)
  }
  for (const [name, from, to] of [
    ['', since, until],
    ['changed-', changedSince, changedUntil],
  ] as const) {
    if (from !== undefined && to !== undefined && from >= to) {
      throw new Exit(EXIT.usage, `--${name}until: give a time after --${name}since`)
    }
  }
  return {
    ...(devices.length > 0 && { deviseId: devices.length === 1 ? (devices[0] as string) : [...devices] }),
    ...(status !== undefined && { status }),
    ...(parked && { status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }),
    ...(failed && { outcome: 'FAILED' }),
    ...(resent === false && { resent }),
    ...(incident !== undefined && { incident }),
    ...(command !== undefined && { command }),
    ...(sender !== undefined && { senderDeviseId: sender }),
    ...(search !== undefined && { search }),
    ...(text !== undefined && { text }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
    ...(changedSince !== undefined && { changedFrom: changedSince }),
    ...(changedUntil !== undefined && { changedTo: changedUntil }),
  }
}

function longText(text: string): string {
  if ([...text].length >= 3) return text
  throw new InvalidArgumentError('Expected at least 3 characters.')
}
