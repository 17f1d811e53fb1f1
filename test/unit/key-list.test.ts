/** API keys in memory over a real store, with a clock that the test sets. */
import { beforeEach, expect, test } from 'vitest'
import { AccessControl } from '../../src/auth/access.ts'
import { Accounts } from '../../src/auth/accounts.ts'
import type { KeyStore } from '../../src/auth/api-keys.ts'
import { ClientList } from '../../src/auth/client-list.ts'
import { KeyList, USE_INTERVAL_MS } from '../../src/auth/key-list.ts'
import { Tokens } from '../../src/auth/token.ts'
import { Duties } from '../../src/process/duties.ts'
import { JWT_SECRET } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { TemporaryStore } from '../_support/store.ts'

const START = 1_700_000_000_000

let store: TemporaryStore
let nowMs: number
let clients: ClientList
let keys: KeyList
let clientId: number
const uses: number[] = []

async function open(keyStore: KeyStore): Promise<void> {
  const now = (): number => nowMs
  clients = await ClientList.open(store.clients, now)
  keys = await KeyList.open({ store: keyStore, clients, now, duties: new Duties() })
}

beforeEach(async () => {
  store = new TemporaryStore()
  nowMs = START
  uses.length = 0
  const { id } = await store.clients.add({
    ...{
      deviceId: 'lamp',
      passwordHash: '',
      role: 'DEVISE',
      description: '',
      devices: [],
      ownQueueOnly: null,
      changedAtMs: START,
    },
  })
  clientId = id
  await open(recording(store.keys))
})

/** Returns a store that also notes the times of recorded uses. */
function recording(keys: KeyStore): KeyStore {
  return {
    all: () => keys.all(),
    nextId: () => keys.nextId(),
    add: (key, audit) => keys.add(key, audit),
    remove: (id, audit) => keys.remove(id, audit),
    recordUse: (id, atMs) => {
      uses.push(atMs - START)
      return keys.recordUse(id, atMs)
    },
  }
}

const NEW = { description: 'metrics', expiresAtMs: null }

test('time of the last use: many uses → at most one write a minute, which the store keeps', async () => {
  const { key } = await keys.create(clientId, NEW)
  for (const atMs of [0, 1, USE_INTERVAL_MS - 1, USE_INTERVAL_MS, USE_INTERVAL_MS + 1, 3 * USE_INTERVAL_MS]) {
    nowMs = START + atMs
    expect(keys.prove(key)?.client.deviceId).toBe('lamp')
  }
  expect(uses).toEqual([0, USE_INTERVAL_MS, 3 * USE_INTERVAL_MS])
  expect(keys.of(clientId)).toMatchObject([{ lastUsedAtMs: START + 3 * USE_INTERVAL_MS }])
  await store.reopen()
  await open(store.keys)
  expect(keys.of(clientId)).toMatchObject([
    { lastUsedAtMs: START + 3 * USE_INTERVAL_MS, description: 'metrics' },
  ])
})

test('time of the last use: a wrong key → not recorded', async () => {
  const { key } = await keys.create(clientId, NEW)
  expect(keys.prove(`${key.slice(0, -3)}xyz`)).toBeNull()
  expect(uses).toEqual([])
})

test('expiry: before and at its time → valid, then invalid', async () => {
  const { key } = await keys.create(clientId, { ...NEW, expiresAtMs: START + 10 })
  nowMs = START + 9
  expect(keys.prove(key)).not.toBeNull()
  nowMs = START + 10
  expect(keys.prove(key)).toBeNull()
})

test('a use that the store cannot record → the key is still valid', async () => {
  await open({ ...recording(store.keys), recordUse: () => Promise.reject(new Error('full')) })
  const { key } = await keys.create(clientId, NEW)
  expect(keys.prove(key)).not.toBeNull()
})

test('what is stored: the SHA-256 of the key, and not the key', async () => {
  const { key, record } = await keys.create(clientId, NEW)
  const rows = store.rows('SELECT * FROM api_keys')
  expect(rows).toMatchObject([
    { id: record.id, client_id: clientId, hash: expect.stringMatching(/^[\da-f]{64}$/) },
  ])
  expect(JSON.stringify(rows)).not.toContain(key.slice(-43))
})

test('accounts without keys: a key → no session', async () => {
  const { key } = await keys.create(clientId, NEW)
  const tokens = new Tokens(JWT_SECRET, 60_000)
  const access = new AccessControl({ clients, keys })
  expect(new Accounts({ clients, tokens, access }).prove(key)).toBeNull()
  expect(new Accounts({ clients, tokens, access, keys }).prove(key)).toMatchObject({
    id: 'lamp',
    roles: ['DEVISE'],
  })
})

test('use: the storage refuses its time → the time is stored when the storage is back', async () => {
  let isAway = true
  const stored = recording(store.keys)
  await open({
    ...stored,
    recordUse: (id, atMs) => (isAway ? Promise.reject(new Error('away')) : stored.recordUse(id, atMs)),
  })
  const { key } = await keys.create(clientId, NEW)
  expect(keys.prove(key)).not.toBeNull()
  await null
  isAway = false
  await eventually(() => expect(uses).toEqual([0]))
})
