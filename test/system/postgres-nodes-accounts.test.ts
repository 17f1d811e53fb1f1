/** Clients, keys and shared values on two nodes over one PostgreSQL. The test carries the rows of the journal between them. */
import { expect, test } from 'vitest'
import { AccessControl } from '../../src/auth/access.ts'
import { ClientList } from '../../src/auth/client-list.ts'
import { KeyList } from '../../src/auth/key-list.ts'
import { Duties } from '../../src/process/duties.ts'
import type { PostgresStorage } from '../../src/store/postgres/database.ts'
import { openPostgresStorage } from '../_support/postgres-store.ts'
import { newClient } from '../contract/storage.ts'

interface JournalRow {
  readonly kind: string
  readonly seq: number
  readonly content: unknown
}

/** Opens two nodes. `carry` gives the rows of the journal to a node, with those that the node wrote itself. */
async function openTwo() {
  const opened = await openPostgresStorage()
  const one = opened.storage
  const two = await opened.second()
  const seen = new Map<PostgresStorage, number>()
  const carry = async (node: PostgresStorage): Promise<void> => {
    const sql = 'SELECT kind, seq, content FROM changes WHERE seq > $1 ORDER BY seq DESC'
    for (const row of await opened.query<JournalRow>(sql, [seen.get(node) ?? 0])) {
      seen.set(node, Math.max(row.seq, seen.get(node) ?? 0))
      if (row.kind === 'client') node.clients.received(row)
      if (row.kind === 'key') node.keys.received(row)
    }
  }
  return { ...opened, one, two, carry }
}

const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) =>
    result.status === 'rejected' ? ((result.reason as { code?: string }).code ?? result.reason) : 'done',
  )

test('two nodes: both add one device id at once → one has client-exists', async () => {
  const { one, two } = await openTwo()
  const results = await Promise.allSettled([one, two].map(({ clients }) => clients.add(newClient('pump'))))
  expect(codesOf(results).sort()).toEqual(['client-exists', 'done'])
  expect(await one.clients.all()).toHaveLength(1)
})

test('two nodes: a client has 99 keys, and each node adds two more at once → one is added', async () => {
  const { one, two, query } = await openTwo()
  const { id: clientId } = await one.clients.add(newClient('pump'))
  await query(`INSERT INTO api_keys (id, client_id, hash, description, created_at_ms)
    SELECT nextval('key_ids'), ${clientId}, n::text, '', 0 FROM generate_series(1, 99) n`)
  const add = async ({ keys }: PostgresStorage, hash: string) => {
    const times = { createdAtMs: 0, lastUsedAtMs: null, expiresAtMs: null }
    await keys.add({ id: await keys.nextId(), clientId, hash, description: '', ...times }, null)
  }
  const results = await Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((hash, n) => add(n % 2 ? one : two, hash)),
  )
  expect(codesOf(results).sort()).toEqual(['done', 'too-many-keys', 'too-many-keys', 'too-many-keys'])
  expect(await one.keys.all()).toHaveLength(100)
})

test('two nodes: each removes or demotes one of the last two admins → one has last-admin, 20 times', async () => {
  const { one, two, query } = await openTwo()
  for (let round = 0; round < 20; round++) {
    const a = await one.clients.add(newClient('a', { role: 'MAN' }))
    const b = await one.clients.add(newClient('b', { role: 'MAN' }))
    const results = await Promise.allSettled([
      one.clients.remove(a.id),
      two.clients.replace({ ...b, role: 'READER' }, null, b),
    ])
    expect(codesOf(results).sort()).toEqual(['done', 'last-admin'])
    expect(await query(`SELECT count(*) AS n FROM clients WHERE role = 'MAN'`)).toEqual([{ n: 1 }])
    await query('DELETE FROM clients')
  }
})

test('two nodes: both start without clients, with one admin id or two → one first admin', async () => {
  const { one, two, query } = await openTwo()
  for (const ids of [
    ['admin', 'admin'],
    ['here', 'there'],
  ] as const) {
    const lists = [await ClientList.open(one.clients), await ClientList.open(two.clients)] as const
    const create = (list: ClientList, deviceId: string) =>
      list.createFirstAdmin({ deviceId, password: 'sesame' })
    const results = await Promise.all([create(lists[0], ids[0]), create(lists[1], ids[1])])
    expect(results.filter((each) => each === null)).toHaveLength(1)
    expect(await query(`SELECT count(*) AS n FROM clients WHERE role = 'MAN'`)).toEqual([{ n: 1 }])
    await query('DELETE FROM clients')
  }
})

test('client list: another node changes a client → known here, listeners called, late rows ignored', async () => {
  const { one, two, carry } = await openTwo()
  const here = await ClientList.open(one.clients)
  const there = await ClientList.open(two.clients)
  const changed: string[] = []
  new AccessControl({ clients: there }).onChange(({ cause }) => changed.push(cause))

  const { id } = await here.create({ deviceId: 'pump', password: 'sesame' })
  await carry(two)
  expect(there.byDevice('pump')).toEqual(here.byDevice('pump'))

  await here.change(id, { devices: ['a'] })
  await here.change(id, { description: 'first' })
  await here.change(id, { description: 'second' })
  // The rows arrive in the wrong order.
  await carry(two)
  expect(there.get(id).description).toBe('second')
  expect(changed).toEqual(['rights-changed'])
  await here.change(id, { deviceId: 'lamp' })
  await carry(two)
  await carry(one)
  expect([there.byDevice('pump'), there.byDevice('lamp')?.id]).toEqual([undefined, id])
  await here.remove(id)
  await carry(two)
  expect(there.byId(id)).toBeUndefined()
  expect(changed).toEqual(['rights-changed', 'client-changed', 'client-removed'])
})

test('client list: two nodes change different members of a client at once → both changes stay', async () => {
  const { one, two } = await openTwo()
  const here = await ClientList.open(one.clients)
  const { id } = await here.create({ deviceId: 'pump', password: 'sesame' })
  const there = await ClientList.open(two.clients)
  const before = here.get(id).passwordHash
  await here.change(id, { password: 'new' })
  // The other node has not learned of it yet.
  await there.change(id, { description: 'main' })
  expect(there.get(id)).toMatchObject({ description: 'main', passwordHash: here.get(id).passwordHash })
  expect(there.get(id).passwordHash).not.toBe(before)
  await here.remove(id)
  await expect(there.change(id, { description: 'late' })).rejects.toMatchObject({ code: 'unknown-client' })
})

test('key list: another node adds and removes a key → valid, then refused, its connections end', async () => {
  const { one, two, carry } = await openTwo()
  const open = async ({ clients: store, keys }: PostgresStorage) => {
    const clients = await ClientList.open(store)
    return {
      clients,
      keys: await KeyList.open({ store: keys, clients, now: () => 1_000, duties: new Duties() }),
    }
  }
  const here = await open(one)
  const there = await open(two)
  const { id } = await here.clients.create({ deviceId: 'pump', password: 'sesame' })
  const { key, record } = await here.keys.create(id, { description: '', expiresAtMs: null })
  await carry(two)
  const ended: number[] = []
  there.keys.onRemove(({ id }) => ended.push(id))
  expect(there.keys.prove(key)).toMatchObject({ keyId: record.id, client: { deviceId: 'pump' } })
  await here.keys.remove(id, record.id)
  await carry(two)
  expect([there.keys.prove(key), ended]).toEqual([null, [record.id]])
})

test('reload: rows of the journal were lost → the list is as stored', async () => {
  const { one, two } = await openTwo()
  const here = await ClientList.open(one.clients)
  const { id } = await here.create({ deviceId: 'pump', password: 'sesame' })
  const old = await here.create({ deviceId: 'old', password: 'sesame' })
  const there = await ClientList.open(two.clients)
  await here.change(id, { description: 'new' })
  await here.remove(old.id)
  await here.create({ deviceId: 'lamp', password: 'sesame' })
  await two.clients.reload()
  expect(there.all()).toEqual(here.all())
})
