/** The places of pending messages in PostgreSQL: the ends of a queue give an upper bound of its length and its bytes. */
import { expect, test } from 'vitest'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { openPostgres } from '../../src/store/postgres/database.ts'
import { whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const NO_LIMITS = { messages: 1_000, bytes: 0 }

interface Ends {
  readonly count: number
  readonly bytes: number
  readonly places: number
  readonly byte_places: number
  readonly are_ordered: boolean
}

/** Opens a store on a schema of its own, which is dropped after the test. */
async function openStore() {
  const server = postgresServer()
  const schema = newSchema()
  const { messages, close } = await openPostgres({
    hosts: [server.config],
    schema,
    limits: { messages: 1_000, bytes: 0 },
  })
  whenDone(async () => {
    await close()
    await server.query(`DROP SCHEMA ${schema} CASCADE`)
  })
  return { server, schema, messages }
}

test('places: messages leave and return in the middle of a queue → ordered, and an upper bound', async () => {
  const { server, schema, messages } = await openStore()
  const query = server.query.bind(server)
  const park = (id: number) =>
    query(`SET search_path TO ${schema}; DELETE FROM pending WHERE id = ${id};
      UPDATE messages SET status = 5, cause = 7, attempts = 1 WHERE id = ${id}`)
  const ends = async (): Promise<Ends | undefined> =>
    (
      await query<Ends & { [name: string]: unknown }>(
        `SELECT count(*)::int AS count, sum(bytes)::int AS bytes, (max(place) - min(place) + 1)::int AS places,
           (max(bytes_place) - min(bytes_place - bytes))::int AS byte_places,
           coalesce(bool_and(is_behind), true) AS are_ordered
         FROM (SELECT *, place > lag(place) OVER w AND bytes_place - bytes >= lag(bytes_place) OVER w AS is_behind
           FROM ${schema}.pending WINDOW w AS (ORDER BY id)) p`,
      )
    )[0]
  const put = async (length: number, delaySeconds: number | null = null): Promise<number> => {
    const terms = { ...NO_TERMS, delaySeconds }
    const stored = message({ data: JSON.stringify('x'.repeat(length)), terms: delaySeconds ? terms : null })
    return (await messages.enqueue(stored, NO_LIMITS)).id
  }

  const ids: number[] = []
  for (let n = 0; n < 8; n++) ids.push(await put(n * 10, n % 3 === 0 ? 60 : null))
  for (const id of ids.slice(2, 6)) await park(id)
  ids.push(await put(5))
  for (const at of [4, 2, 3, 5]) {
    expect(await messages.replay(ids[at] as number, { by: null, limits: NO_LIMITS })).toMatchObject({
      is: 'replayed',
    })
    const { count, bytes, places, byte_places, are_ordered } = (await ends()) as Ends
    expect(are_ordered).toBe(true)
    expect(places).toBeGreaterThanOrEqual(count)
    expect(byte_places).toBeGreaterThanOrEqual(bytes)
  }
  // The ends of the queue leave and return.
  await park(ids[0] as number)
  await park(ids.at(-1) as number)
  expect(await messages.replay(ids[0] as number, { by: null, limits: NO_LIMITS })).toMatchObject({
    is: 'replayed',
  })
  expect(await messages.replay(ids.at(-1) as number, { by: null, limits: NO_LIMITS })).toMatchObject({
    is: 'replayed',
  })
  const { count, places, are_ordered } = (await ends()) as Ends
  expect({ count, are_ordered }).toEqual({ count: 9, are_ordered: true })
  expect(places).toBeGreaterThanOrEqual(count)
})

test('places: a batch that its queue has room for in part → as many as fit, in the order of the calls', async () => {
  const { messages } = await openStore()
  const limits = { messages: 100, bytes: 30 }
  // `start` and the data count 10, 25, 10 and 10 bytes.
  const sizes = ['[123]', JSON.stringify('x'.repeat(18)), '[123]', '[123]']
  const results = await Promise.allSettled(sizes.map((data) => messages.enqueue(message({ data }), limits)))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})
