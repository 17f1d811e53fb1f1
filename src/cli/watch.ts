/** `waybill watch`: prints live changes with their times, one per line, until it is stopped. */
import { type Command, Option } from 'commander'
import {
  type Client,
  ConnectionError,
  type DeliveryStatus,
  type LiveEvent,
  RequestError,
  STATUSES,
} from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { count } from './arguments.ts'
import { type Output, type Remote, remote } from './remote.ts'
import { printable, statusText, styled, type Terminal } from './text.ts'
import { localTime } from './times.ts'

const KINDS = ['message', 'connection'] as const

interface Flags {
  readonly device?: string
  readonly command?: string
  readonly status?: DeliveryStatus
  readonly kind?: (typeof KINDS)[number]
  readonly count?: number
  readonly after?: string
}

/** Members of a change that filters read. A message has `id`; a connection has `connected`. */
interface Change {
  readonly id?: number
  readonly deviseId?: string
  readonly deliveryStatus?: DeliveryStatus
  readonly connected?: boolean
  readonly transport?: string
}

export function addWatch(program: Command, output: Output): void {
  const watch = program
    .command('watch')
    .description('print changes of messages and connections as they happen')
    .addOption(new Option('--kind <kind>', 'only changes of this kind').choices(KINDS))
    .option('--device <device>', 'only changes of this device')
    .option('--command <name>', 'only messages with this command')
    .addOption(new Option('--status <status>', 'only messages that get this status').choices(STATUSES))
    .option('--count <n>', 'stop after this number of changes', count)
    .option('--after <id>', 'resume after the event with this id, which --json prints')
  remote<Flags>(watch, output, watchChanges)
  addExamples(watch, [
    'watch',
    'watch --device pump-1 --json',
    'watch --status COMPLETED_WITH_ERROR',
    'watch --kind connection --count 1',
  ])
}

async function watchChanges({ client, flags, print, note, output }: Remote<Flags & { url: string }>) {
  const { terminal } = output
  const accepts = filterOf(client, flags)
  const onLost = (): void => print({ time: new Date().toISOString(), event: 'lost', data: {} }, null)
  const onState = connectionNotes(flags.url, note, onLost)
  const { after, count: limit = Number.POSITIVE_INFINITY } = flags
  let left = limit
  for await (const live of client.subscribe({
    onState,
    ...(after !== undefined && { lastEventId: after }),
  })) {
    const now = new Date()
    const timed = { time: now.toISOString(), ...live }
    // The stream begins. A program may wait for this line before it starts the actions to watch.
    if (live.event === 'ready') print(timed, null)
    else if (live.event === 'gap') print(timed, `${localTime(now.getTime())} earlier changes were lost`)
    else if (await accepts(live)) {
      print(timed, lineOf(live, now, terminal))
      if (--left === 0) return
    }
  }
}

/** Returns a listener that reports the first connection, its loss and its return, each once. */
export function connectionNotes(
  url: string,
  note: (text: string) => void,
  onLost: () => void = () => {},
): (state: 'open' | 'lost') => void {
  let last: 'open' | 'lost' | null = null
  return (state) => {
    if (state === last) return
    if (state === 'lost') onLost()
    const time = localTime(Date.now())
    if (state === 'lost') note(`${time} the connection to ${url} is lost; trying to connect again`)
    else note(last === null ? `${time} watching ${url}, Ctrl-C ends` : `${time} connected again`)
    last = state
  }
}

function filterOf(
  client: Client,
  { kind, device, status, command }: Flags,
): (live: LiveEvent) => Promise<boolean> {
  const commands = new CommandNames(client)
  const needsMessage = status !== undefined || command !== undefined
  return async ({ event, data }) => {
    const { id, deviseId, deliveryStatus } = data as Change
    if ((kind ?? event) !== event || (device ?? deviseId) !== deviseId) return false
    if (!needsMessage) return true
    if (event !== 'message' || id === undefined || (status ?? deliveryStatus) !== deliveryStatus) return false
    return command === undefined || (await commands.of(id)) === command
  }
}

const MAX_KNOWN = 1_000

/** Cache of the commands of messages, which the events do not have. Keeps the newest. */
class CommandNames {
  readonly #client: Client
  readonly #known = new Map<number, string>()

  constructor(client: Client) {
    this.#client = client
  }

  /** Returns the command of a message; null if the message was deleted, or the server is unreachable. */
  async of(id: number): Promise<string | null> {
    const command = this.#known.get(id) ?? (await this.#read(id))
    if (command !== null) this.#known.set(id, command)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest as number)
    return command
  }

  async #read(id: number): Promise<string | null> {
    try {
      return (await this.#client.message(id)).command
    } catch (error) {
      const isGone = error instanceof RequestError && error.status === 404
      if (isGone || error instanceof ConnectionError) return null
      throw error
    }
  }
}

function lineOf({ event, data }: LiveEvent, now: Date, terminal: Terminal | undefined): string {
  const { id, deviseId, deliveryStatus, connected, transport } = data as Change
  const head = `${localTime(now.getTime())} ${event.padEnd('connection'.length)}`
  if (event === 'message' && deliveryStatus !== undefined) {
    const { text, style } = statusText(deliveryStatus)
    return `${head} ${printable(String(deviseId))} ${id} ${styled(text, style, terminal)}`
  }
  if (event === 'connection') {
    const change = connected ? `connected over ${transport}` : 'disconnected'
    return `${head} ${printable(String(deviseId))} ${change}`
  }
  return `${head} ${printable(JSON.stringify(data))}`
}
