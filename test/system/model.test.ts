/** Long random histories of all commands, devices side by side, with restarts. The server answers as a model of thirty lines. */
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/broker/clock.ts'
import { type Replaced, start } from '../../src/main.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { seeded } from '../_support/random.ts'
import { type Rest, withToken } from '../_support/rest.ts'
import { settingsOf } from '../_support/settings.ts'
import { recordingLog } from '../_support/trees.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

interface Message {
  readonly id: number
  readonly command: string
  readonly believerGuarantee: string
  readonly data: object
  status: string
}

const FINAL = ['COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED']

/** The model: the queue of one device. */
class Queue {
  readonly messages: Message[] = []

  get pending(): Message[] {
    return this.messages.filter(({ status }) => status === 'NOT_DELIVERED')
  }

  send(message: Omit<Message, 'status'>): void {
    const superseded = message.believerGuarantee === 'ONLY_LAST' ? this.pending : []
    for (const other of superseded) if (other.command === message.command) other.status = 'CANCELLED'
    this.messages.push({ ...message, status: 'NOT_DELIVERED' })
  }

  poll(): number[] {
    const [message] = this.pending
    if (message?.believerGuarantee === 'NO') message.status = 'DELIVERED'
    return message ? [message.id] : []
  }

  acknowledge(message: Message, status: string): { code: number; deliveryStatus: string } {
    const isFinal = FINAL.includes(message.status)
    if (!isFinal) message.status = status
    const fits = status === message.status || (isFinal && status === 'DELIVERED')
    return { code: fits ? 200 : 409, deliveryStatus: message.status }
  }
}

type Step =
  | { readonly do: 'send'; readonly command: string; readonly guarantee: string | undefined }
  | { readonly do: 'burst'; readonly count: number }
  | { readonly do: 'poll'; readonly count: number }
  | { readonly do: 'acknowledge'; readonly which: number; readonly status: string | undefined }
  | { readonly do: 'acknowledge wrongly'; readonly which: number; readonly status: unknown }
  | { readonly do: 'acknowledge for another device'; readonly which: number }
  | { readonly do: 'status'; readonly which: number }

/** A message of the queue, counted from the newest, so that most choices meet an unsettled one. */
const which = fc.nat({ max: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      command: fc.constantFrom('start', 'stop'),
      guarantee: fc.constantFrom('RECEIPT_CONFIRMATION', 'NO', 'ONLY_LAST', undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('burst' as const), count: fc.integer({ min: 2, max: 6 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('poll' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('acknowledge' as const),
      which,
      status: fc.constantFrom('DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('acknowledge wrongly' as const),
      which,
      status: fc.constantFrom('CANCELLED', 'NOT_DELIVERED', 'UNKNOWN', 'delivered', '', 7, {}),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('acknowledge for another device' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('status' as const), which }) },
)

const DEVICES = ['pump', 'lamp', 'door 🚪']
const ENDS = ['SIGTERM', 'SIGKILL'] as const

/** One round between two restarts: the steps of each device in order, the devices side by side. */
const history = (maxLength: number) =>
  fc.array(
    fc.record({
      steps: fc.tuple(...DEVICES.map(() => fc.array(step, { maxLength, size: 'max' }))),
      end: fc.constantFrom(...ENDS),
      adapter: fc.constantFrom(...ADAPTERS),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  )

/** All ids that were assigned. */
type Ids = Set<number>

const path = (of: string, deviceId: string): string => `/${of}/${encodeURIComponent(deviceId)}`

async function perform(rest: Rest, deviceId: string, queue: Queue, ids: Ids, step: Step): Promise<void> {
  const send = async (command: string, guarantee?: string): Promise<Omit<Message, 'status'>> => {
    const data = { mark: Math.random() }
    const body = { command, data, ...(guarantee && { believerGuarantee: guarantee }) }
    const answer = await rest.put(path('producer/request', deviceId), body)
    const { id } = answer.body as { id: number }
    expect(answer).toMatchObject({ status: 200, body: { id, tmpId: null, deliveryStatus: 'NOT_DELIVERED' } })
    expect(ids.has(id)).toBe(false)
    expect(id).toBeGreaterThan(queue.messages.at(-1)?.id ?? 0)
    ids.add(id)
    return { id, command, data, believerGuarantee: guarantee ?? 'RECEIPT_CONFIRMATION' }
  }
  const acknowledge = (id: number, deliveryStatus: unknown, by = deviceId) =>
    rest.post(path('consumer/request', by), { id, ...(deliveryStatus !== undefined && { deliveryStatus }) })
  const poll = async (): Promise<Omit<Message, 'status'>[]> =>
    (await rest.get(path('consumer/getLastMessage', deviceId))).body as Message[]

  if (step.do === 'send') return queue.send(await send(step.command, step.guarantee))
  if (step.do === 'burst') {
    const sent = await Promise.all(Array.from({ length: step.count }, () => send('start')))
    for (const message of sent.toSorted((a, b) => a.id - b.id)) queue.send(message)
    return
  }
  if (step.do === 'poll') {
    // Polls at once return in any order what they would return one after the other.
    const given = (await Promise.all(Array.from({ length: step.count }, poll))).flat()
    const expected = Array.from({ length: step.count }, () => queue.poll()).flat()
    expect(given.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
    for (const { id, command, believerGuarantee, data } of given) {
      const { status: _, ...message } = queue.messages.find((each) => each.id === id) as Message
      expect({ id, command, believerGuarantee, data }).toEqual(message)
    }
    return
  }
  const message = queue.messages.at(-1 - step.which)
  if (!message) {
    expect(await acknowledge(2 ** 40, 'COMPLETED')).toMatchObject({ status: 404 })
    expect(await rest.get(`/producer/getMessageStatus/${2 ** 40}`)).toMatchObject({ status: 404 })
  } else if (step.do === 'status') {
    expect((await rest.get(`/producer/getMessageStatus/${message.id}`)).body).toEqual({
      deliveryStatus: message.status,
    })
  } else if (step.do === 'acknowledge') {
    const { code, deliveryStatus } = queue.acknowledge(message, step.status ?? 'DELIVERED')
    expect(await acknowledge(message.id, step.status)).toMatchObject({
      status: code,
      body: { deliveryStatus },
    })
  } else if (step.do === 'acknowledge wrongly') {
    expect(await acknowledge(message.id, step.status)).toMatchObject({ status: 400 })
  } else {
    expect(await acknowledge(message.id, 'COMPLETED', `not ${deviceId}`)).toMatchObject({ status: 404 })
  }
}

/** Limits the search for a shorter failing history, which must end before the test does. */
const BOUNDED = { interruptAfterTimeLimit: 60_000 }

interface Started {
  readonly rest: Rest
  readonly end: (how: (typeof ENDS)[number]) => Promise<unknown>
}

/** Runs a history on servers that follow each other on one data directory. At the end all is read once more. */
async function follow(
  rounds: readonly { steps: Step[][]; end: (typeof ENDS)[number]; adapter: string }[],
  startIn: (dataDir: string, adapter: string) => Promise<Started>,
): Promise<void> {
  const dataDir = temporaryDirectory()
  const queues = DEVICES.map(() => new Queue())
  const ids: Ids = new Set()
  for (const { steps, end, adapter } of [
    ...rounds,
    { steps: [], end: 'SIGTERM' as const, adapter: 'node' },
  ]) {
    const server = await startIn(dataDir, adapter)
    await Promise.all(
      queues.map(async (queue, i) => {
        const deviceId = DEVICES[i] as string
        for (const [n] of queue.messages.entries()) {
          await perform(server.rest, deviceId, queue, ids, { do: 'status', which: n })
        }
        for (const each of steps[i] ?? []) await perform(server.rest, deviceId, queue, ids, each)
      }),
    )
    await server.end(end)
  }
}

type Open = Replaced['open']

/** Starts the product in this process. */
async function startHere(dataDir: string, adapter: string, open?: Open): Promise<Started> {
  const env = {
    APP_SECURITY_PERMIT_ALL: 'true',
    ADMIN_PASSWORD: 'x',
    WAYBILL_DATA_DIR: dataDir,
    WAYBILL_ADAPTER: adapter,
    MQTT_ADDRESS: 'off',
  }
  const running = await start(settingsOf({ flags: { host: '127.0.0.1:0' }, env }), recordingLog(), { open })
  whenDone(() => running.close(0, 'the end of the test'))
  return { rest: withToken(running.url), end: () => running.close(1000, 'a restart') }
}

test('model: SQLite in this process, orderly restarts → as the model', async () => {
  await fc.assert(
    fc.asyncProperty(history(40), (rounds) => follow(rounds, startHere)),
    { numRuns: 12, ...BOUNDED },
  )
})

test('model: messages in memory, each restart another node on the same data → as the model', async () => {
  const play = (rounds: Parameters<typeof follow>[0], seed: number): Promise<void> => {
    let node: MemoryStore | null = null
    const open: NonNullable<Replaced['open']> = (options) => {
      node = node?.second() ?? openMemory({ clock: systemClock, random: seeded(seed) })
      return { ...openStorage(options), messages: node }
    }
    return follow(rounds, (dataDir, adapter) => startHere(dataDir, adapter, open))
  }
  await fc.assert(fc.asyncProperty(history(40), fc.nat(), play), { numRuns: 12, ...BOUNDED })
})

test('model: SQLite in a process of its own, orderly restarts and kills → as the model', async () => {
  const startThere = async (dataDir: string, adapter: string): Promise<Started> => {
    const { server, rest } = await BrokerUnderTest.spawn({ adapter, dataDir })
    return { rest, end: (how) => server.kill(how) }
  }
  await fc.assert(
    fc.asyncProperty(history(100), (rounds) => follow(rounds, startThere)),
    { numRuns: 2, ...BOUNDED },
  )
})
