/** A server under load is killed at random moments. Each stored message is there afterwards, once and in order. */
import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import type { Answer } from '../_support/rest.ts'
import { LOCAL, spawnCommand } from '../_support/server.ts'
import { databaseIn, rowsOf } from '../_support/stored.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

const SEED = seedOfRun()
const ROUNDS = 6
/** Largest number of answers in a round before the kill; each round takes a number of its own. */
const MOST_ANSWERS = 600
const PRODUCERS = 12

/** Queues of plain messages, of messages that cancel each other, and of both with a device that acknowledges. */
const PLAIN = ['plain-0', 'plain-1', 'plain-2']
const LATEST = ['latest-0', 'latest-1']
const WORKED = ['worked-0', 'worked-1']
const COMMANDS = ['start', 'stop', 'turn']
const FINAL = ['COMPLETED', 'COMPLETED_WITH_ERROR']

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`SEED=${SEED}`)
})

/** Mark in the data of each message: its producer, and its number among the messages of that producer. */
interface Mark {
  readonly producer: string
  readonly n: number
}

interface Sent {
  readonly deviceId: string
  readonly command: string
  readonly guarantee: string
  readonly data: Mark
}

interface Row {
  readonly id: number
  readonly deviceId: string
  readonly command: string
  readonly data: string
  readonly status: string
}

/** Everything that the server answered with 200, over all rounds. */
class Ledger {
  readonly stored = new Map<number, Sent>()
  /** The latest status that a device reported and the server confirmed. */
  readonly confirmed = new Map<number, string>()
  /** Statuses that a device reported without an answer. Each may count or not. */
  readonly unanswered = new Map<number, string>()
  answers = 0
}

test('server under load: killed at random moments → no answered message is lost', async () => {
  const random = seeded(SEED)
  const dataDir = temporaryDirectory()
  const ledger = new Ledger()
  for (let round = 0; round < ROUNDS; round++) {
    const adapter = round % 2 === 0 ? 'node' : 'uws'
    await killWhileStarting(dataDir, adapter, random)
    const broker = await BrokerUnderTest.spawn({ adapter, dataDir })
    const last = ledger.answers + 1 + Math.floor(random() * MOST_ANSWERS)
    const onAnswer = (): void => {
      if (++ledger.answers === last) void broker.server.kill('SIGKILL')
    }
    await Promise.all([
      ...Array.from({ length: PRODUCERS }, (_, i) =>
        produce(broker, ledger, `${round}/${i}`, random, onAnswer),
      ),
      ...WORKED.map((deviceId) => work(broker, ledger, deviceId, random, onAnswer)),
    ])
    await broker.server.exited
    compare(ledger, rowsOf<Row>(databaseIn(dataDir), ROWS))
  }
  const broker = await BrokerUnderTest.spawn({ dataDir })
  await compareWithQueues(broker, dataDir, ledger)
  await broker.server.kill()
  compare(ledger, rowsOf<Row>(databaseIn(dataDir), ROWS))
})

const ROWS = 'SELECT id, device_id AS deviceId, command, data, status FROM messages ORDER BY id'

/** Kills a start after a random time, since its progress is not visible. Most starts need about half of the longest. */
async function killWhileStarting(dataDir: string, adapter: string, random: () => number): Promise<void> {
  const server = spawnCommand({
    args: [...LOCAL, '--adapter', adapter],
    env: { ADMIN_PASSWORD, JWT_SECRET },
    dataDir,
  })
  await new Promise((resolve) => setTimeout(resolve, random() * 1000))
  const { stderr } = await server.kill('SIGKILL')
  expect(stderr).toBe('')
}

/** Sends messages until the server is gone. */
async function produce(
  broker: BrokerUnderTest,
  ledger: Ledger,
  producer: string,
  random: () => number,
  onAnswer: () => void,
): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  for (let n = 0; ; n++) {
    const deviceId = pick([...PLAIN, ...LATEST, ...WORKED])
    const guarantee = LATEST.includes(deviceId) || random() < 0.2 ? 'ONLY_LAST' : 'RECEIPT_CONFIRMATION'
    const sent: Sent = {
      deviceId,
      command: pick(COMMANDS),
      guarantee: PLAIN.includes(deviceId) ? 'RECEIPT_CONFIRMATION' : guarantee,
      data: { producer, n },
    }
    const answer = await answered(
      broker.request(deviceId, { command: sent.command, believerGuarantee: sent.guarantee, data: sent.data }),
    )
    if (answer === null) return
    const { id } = answer.body as { id: number }
    expect(ledger.stored.get(id)).toBeUndefined()
    ledger.stored.set(id, sent)
    onAnswer()
  }
}

/** Polls and acknowledges, in one step or two, until the server is gone. */
async function work(
  broker: BrokerUnderTest,
  ledger: Ledger,
  deviceId: string,
  random: () => number,
  onAnswer: () => void,
): Promise<void> {
  for (;;) {
    const polled = await answered(broker.poll(deviceId))
    if (polled === null) return
    const [message] = polled.body as { id: number }[]
    if (message === undefined) continue
    const final = FINAL[Math.floor(random() * FINAL.length)] as string
    for (const status of random() < 0.5 ? ['DELIVERED', final] : [final]) {
      ledger.unanswered.set(message.id, status)
      // 409: the message was cancelled meanwhile, which is a final status too.
      const answer = await answered(
        broker.acknowledge(deviceId, { id: message.id, deliveryStatus: status }),
        409,
      )
      if (answer === null) return
      ledger.unanswered.delete(message.id)
      ledger.confirmed.set(message.id, (answer.body as { deliveryStatus: string }).deliveryStatus)
      onAnswer()
    }
  }
}

/** Returns an answer that arrived whole; null when the server was killed meanwhile. */
async function answered(call: Promise<Answer>, ...others: number[]): Promise<Answer | null> {
  const answer = await call.catch(() => null)
  if (answer !== null) expect([200, ...others]).toContain(answer.status)
  return answer
}

function compare(ledger: Ledger, rows: readonly Row[]): void {
  const found = new Map(rows.map((row) => [row.id, row]))
  expect(found.size).toBe(rows.length)
  for (const [id, { deviceId, command, data }] of ledger.stored) {
    expect(found.get(id)).toMatchObject({ id, deviceId, command, data: JSON.stringify(data) })
  }
  for (const [id, status] of ledger.confirmed) {
    expect([status, ledger.unanswered.get(id)]).toContain(found.get(id)?.status)
  }
  expectOnce(rows)
  expectOnlyLast(rows, ledger)
}

/** Expects the messages of each producer from the first to the last, in order, none twice: it waited for each answer. */
function expectOnce(rows: readonly Row[]): void {
  const marks = rows.map(({ data }) => JSON.parse(data) as Mark)
  for (const own of groups(marks, ({ producer }) => producer)) {
    expect(own.map(({ n }) => n)).toEqual(own.map((_, n) => n))
  }
}

function groups<T>(list: readonly T[], keyOf: (item: T) => string): T[][] {
  const found = new Map<string, T[]>()
  for (const item of list) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item])
  return [...found.values()]
}

/** Expects the newest message of each command to be pending and each earlier one to be CANCELLED, in queues of ONLY_LAST. */
function expectOnlyLast(rows: readonly Row[], { stored, confirmed }: Ledger): void {
  const latest = rows.filter(({ deviceId }) => LATEST.includes(deviceId))
  for (const queue of groups(latest, ({ deviceId, command }) => `${deviceId} ${command}`)) {
    expect(queue.map(({ status }) => status)).toEqual(
      queue.map(({ id }, i) => (i < queue.length - 1 ? 'CANCELLED' : (confirmed.get(id) ?? 'NOT_DELIVERED'))),
    )
  }
  // A pending message was sent after the last ONLY_LAST message of its command.
  for (const { id, deviceId, command, status } of rows) {
    if (!WORKED.includes(deviceId) || status !== 'NOT_DELIVERED') continue
    const later = [...stored].filter(
      ([other, sent]) =>
        other > id &&
        sent.guarantee === 'ONLY_LAST' &&
        sent.deviceId === deviceId &&
        sent.command === command,
    )
    expect(later).toEqual([])
  }
}

/** Polls each queue. Expects the stored pending messages, oldest first, each once. */
async function compareWithQueues(broker: BrokerUnderTest, dataDir: string, ledger: Ledger): Promise<void> {
  for (const [id, status] of ledger.confirmed) {
    expect([status, ledger.unanswered.get(id)]).toContain(await broker.status(id))
  }
  const rows = rowsOf<Row>(databaseIn(dataDir), ROWS)
  await Promise.all(
    [...PLAIN, ...LATEST, ...WORKED].map(async (deviceId) => {
      const waiting = rows.filter((row) => row.deviceId === deviceId && row.status === 'NOT_DELIVERED')
      const delivered: number[] = []
      for (let id = await broker.next(deviceId); id !== null; id = await broker.next(deviceId)) {
        delivered.push(id)
        const answer = await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED' })
        expect(answer.body).toEqual({ deliveryStatus: 'COMPLETED' })
        ledger.confirmed.set(id, 'COMPLETED')
      }
      expect(delivered).toEqual(waiting.map(({ id }) => id))
    }),
  )
}
