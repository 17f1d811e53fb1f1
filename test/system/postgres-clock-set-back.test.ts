/** Delays and pauses when the clock of PostgreSQL is set back by an hour: none lasts longer than its duration. */
import type pg from 'pg'
import { beforeEach, expect, test, vi } from 'vitest'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { addedTo, NodesUnderTest, type OpenNode } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { claimMessage, limits, RULES } from '../contract/store-under-test.ts'

const HOUR_MS = 3_600_000

const until = (check: () => unknown) => vi.waitFor(check, { interval: 20, timeout: WAIT_MS })

let nodes: NodesUnderTest
let first: OpenNode
let second: OpenNode
let session: pg.Client
beforeEach(async () => {
  nodes = new NodesUnderTest(postgresServer())
  first = await nodes.open()
  second = await nodes.open()
  session = await nodes.session()
})

/** Sets the clock of the database by a time. */
const step = (byMs: number) =>
  session.query(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${byMs}'`)

const putDelayed = async (delaySeconds: number) => {
  const terms = { ...NO_TERMS, delaySeconds }
  return (await first.messages.enqueue(message({ terms }), limits(10))).id
}
const headId = async ({ messages }: OpenNode) => (await messages.head('pump'))?.message.id ?? null

test('delay: the nodes run on → due after its duration, each node tells, and the next claim takes it', async () => {
  const told = [first, second].map(addedTo)
  const isTold = () => expect(told.map((devices) => devices.includes('pump'))).toEqual([true, true])
  const id = await putDelayed(2)
  await until(isTold)
  await step(-HOUR_MS)
  for (const devices of told) devices.length = 0
  const lease = await second.messages.attach('pump', 'MQTT')
  expect(await lease.claim(null, RULES)).toMatchObject({ is: 'empty' })

  await until(isTold)
  expect((await claimMessage(lease)).message.id).toBe(id)
})

test('delay: all nodes restart → due after its whole duration', async () => {
  const id = await putDelayed(1)
  await Promise.all([first.close(), second.close()])
  await step(-HOUR_MS)
  const third = await nodes.open()

  expect(await headId(third)).toBeNull()
  await until(async () => expect(await headId(third)).toBe(id))
})

test('delay: the clock is set back before a node reads the journal for the first time → due after its duration', async () => {
  await Promise.all([first.close(), second.close()])
  const third = await nodes.open({ times: { readMs: 2_000 } })
  const told = addedTo(third)
  const terms = { ...NO_TERMS, delaySeconds: 1 }
  await third.messages.enqueue(message({ terms }), limits(10))
  told.length = 0
  await step(-HOUR_MS)

  await until(() => expect(told).toContain('pump'))
})

test('delay: of 2,500 messages of 50 devices → all are due', async () => {
  const terms = { ...NO_TERMS, delaySeconds: 1 }
  const put = (n: number) => first.messages.enqueue(message({ deviceId: `d${n % 50}`, terms }), limits(100))
  await Promise.all(Array.from({ length: 2_500 }, (_, n) => put(n)))
  await step(-HOUR_MS)

  await until(async () => {
    const { rows } = await session.query('SELECT count(*)::int AS left FROM pending WHERE delayed')
    expect(rows).toEqual([{ left: 0 }])
  })
})

test('busy: a node reads a pause after the clock was set back → its whole time at most', async () => {
  const restMs = new Promise<number>((resolve) => {
    second.messages.watch({ busy: ({ forMs }) => resolve(forMs) })
  })
  await session.query(
    `INSERT INTO changes (origin, kind, subject, until_ms, content) VALUES ($1, 'busy', 'pump', now_ms() + $2::bigint + 2000, '2000')`,
    [first.node.id, HOUR_MS],
  )

  expect(await restMs).toBe(2_000)
})
