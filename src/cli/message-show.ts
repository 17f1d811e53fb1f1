/** `waybill messages show`: shows one message with its history, its attempts, and the report of its device. */
import type { Command } from 'commander'
import type { ReportTextName } from '../broker/vocabulary/report-table.ts'
import type { TermName } from '../broker/vocabulary/term-table.ts'
import type { Client, MessageDetail } from '../client/index.ts'
import { addExamples } from '../runner/examples.ts'
import { RawJson } from '../web/endpoint.ts'
import { extractRawMembers } from '../web/json.ts'
import { count } from './arguments.ts'
import { type Output, remote } from './remote.ts'
import { type Cell, type Column, pairLines, Table } from './table.ts'
import { statusText, type Terminal } from './text.ts'
import { localTime } from './times.ts'

export function addMessageShow(messages: Command, output: Output): void {
  const show = messages
    .command('show <id>')
    .description('show a message: its data, its history, its attempts, and why it is pending')
  show.registeredArguments[0]?.argParser(count)
  remote<object, [id: number]>(show, output, async ({ client, print, output: { terminal } }, id) => {
    const text = await textOf(client, id)
    // A JSON string has no line feed, so only white space between tokens is replaced.
    print(new RawJson(text.replace(/[\r\n]+/g, ' ')), inLines(parsed(text), terminal).join('\n'))
  })
  addExamples(show, ['messages show 7', 'messages show 7 --json'])
}

async function textOf(client: Client, id: number): Promise<string> {
  const params = { path: { id } }
  const text = await client.call((api) => api.GET('/producer/messages/{id}', { params, parseAs: 'text' }))
  return text as unknown as string
}

/** Message whose data and result are JSON texts, so that their numbers keep their digits. */
interface Shown extends Omit<MessageDetail, 'data' | 'result'> {
  readonly data: RawJson
  readonly result: RawJson | null
}

function parsed(text: string): Shown {
  const members: Record<string, unknown> = JSON.parse(text)
  extractRawMembers(members, Buffer.from(text), new Set(['data', 'result']), new Set(['result']))
  return members as unknown as Shown
}

type History = readonly MessageDetail['history'][number][]
type Attempts = readonly MessageDetail['attempts'][number][]

function inLines(message: Shown, terminal: Terminal | undefined): string[] {
  const { history, attempts } = message
  return [
    ...pairLines(pairsOf(message), terminal),
    ...section('History', history, HISTORY, terminal),
    ...section('Attempts', attempts, ATTEMPTS, terminal),
  ]
}

function pairsOf(message: Shown): [string, Cell][] {
  const { id, deliveryStatus, cause, deviseId, command, data, result } = message
  const { senderDeviseId, deliveryGuarantee, createdDate, waits } = message
  const pairs: [string, Cell | null | undefined][] = [
    ['Message', String(id)],
    ['Status', statusText(deliveryStatus)],
    ['Cause', cause],
    ['Pending', waits && waitInWords(waits)],
    ['Device', deviseId],
    ['Command', command],
    ['Data', oneLine(data)],
    ...textPairs(message),
    ['Result', result && oneLine(result)],
    ['Sender', senderDeviseId],
    ['Guarantee', deliveryGuarantee],
    ['Stored', localTime(createdDate)],
    ...termPairs(message),
  ]
  return pairs.filter((pair): pair is [string, Cell] => (pair[1] ?? null) !== null)
}

const TEXT_LABELS: Record<ReportTextName, string> = { reason: 'Reason' }

function textPairs(message: Shown): [string, string | null | undefined][] {
  const names = Object.keys(TEXT_LABELS) as ReportTextName[]
  return names.map((name) => [TEXT_LABELS[name], message[name]])
}

const oneLine = ({ text }: RawJson): string => text.replace(/[\r\n]+/g, ' ')

type ShownTerms = NonNullable<Shown['terms']>

const time = (atMs: number | null): string | null => (atMs === null ? null : localTime(atMs))

/** Label and text of each term. A null text is not shown. */
const TERM_PAIRS: Record<TermName, (terms: ShownTerms) => [string, string | null]> = {
  delaySeconds: ({ dueDate }) => ['Delayed', time(dueDate)],
  validSeconds: ({ expiresDate }) => ['Valid', time(expiresDate)],
  finishSeconds: ({ finishDate, finishSeconds }) => [
    'Finish',
    time(finishDate) ?? (finishSeconds === null ? null : `${finishSeconds} s after DELIVERED`),
  ],
  maxAttempts: ({ maxAttempts }) => ['Limit', maxAttempts === null ? null : `${maxAttempts} attempts`],
}

function termPairs({ terms }: Shown): [string, string | null][] {
  return terms ? Object.values(TERM_PAIRS).map((pairOf) => pairOf(terms)) : []
}

type Waits = NonNullable<MessageDetail['waits']>

const WAITS: Record<Waits['reason'], string> = {
  BEHIND: 'another message comes first',
  GAP: 'the pacing interval of the device is not over',
  DEVICE_AWAY: 'the device is not connected and has not polled',
  ACKNOWLEDGEMENT: 'dispatched, not acknowledged yet',
  GOING_OUT: 'being dispatched',
  BUSY: 'the device asked for a pause',
  LATER: 'its delay is not over',
  BACK_OFF: 'the connection broke; the next attempt comes later',
  SERVICE: 'the device is out of service',
}

function waitInWords({ reason, messageId, until }: Waits): string {
  const which = messageId === null ? '' : ` (message ${messageId})`
  return `${WAITS[reason]}${which}${until == null ? '' : `, until ${localTime(until)}`}`
}

const HISTORY: readonly Column<History[number]>[] = [
  { heading: 'TIME', cell: ({ date }) => localTime(date) },
  { heading: 'STATUS', cell: ({ deliveryStatus }) => statusText(deliveryStatus) },
  { heading: 'CAUSE', cell: ({ cause }) => cause },
  {
    heading: 'BY',
    cell: ({ deviseId, messageId }) => deviseId ?? (messageId === null ? '' : `message ${messageId}`),
  },
  { heading: 'REASON', cell: ({ reason = '' }) => reason, isLong: true },
]

const ATTEMPTS: readonly Column<Attempts[number]>[] = [
  { heading: 'NUMBER', cell: ({ number }) => String(number) },
  { heading: 'TIME', cell: ({ date }) => localTime(date) },
  { heading: 'OVER', cell: ({ transport }) => transport },
  { heading: 'OUTCOME', cell: ({ outcome }) => outcome },
  { heading: 'ENDS', cell: ({ until }) => (until ? localTime(until) : '') },
  { heading: 'REASON', cell: ({ reason = '' }) => reason, isLong: true },
]

/** Returns the lines of a part of the output; none if the part is empty. */
function section<Item>(
  title: string,
  items: readonly Item[],
  columns: readonly Column<Item>[],
  terminal: Terminal | undefined,
): string[] {
  if (items.length === 0) return []
  const room = terminal && { ...terminal, columns: terminal.columns - 2 }
  return ['', title, ...new Table(columns, room).lines(items).map((line) => `  ${line}`)]
}
