/** Clients and keys of a storage that several nodes share, over a store in memory that reports the changes of another node. */
import { beforeEach, expect, test } from 'vitest'
import { AccessControl } from '../../src/auth/access.ts'
import type { KeyRecord, KeyStore } from '../../src/auth/api-keys.ts'
import { ClientList } from '../../src/auth/client-list.ts'
import type { ClientRecord, ClientStore, RecordUpdate } from '../../src/auth/clients.ts'
import { StaleClient } from '../../src/auth/errors.ts'
import { KeyList } from '../../src/auth/key-list.ts'
import { Duties } from '../../src/process/duties.ts'
import { type RecordChange, SharedRecords } from '../../src/store/postgres/records/shared-records.ts'
import { newClient } from '../contract/storage.ts'

/** A store whose `report` reports a change, as another node makes it. */
class SharedClients implements ClientStore {
  readonly stored = new Map<number, ClientRecord>()
  #listener: (update: RecordUpdate<ClientRecord>) => void = () => {}

  watch(listener: (update: RecordUpdate<ClientRecord>) => void): () => void {
    this.#listener = listener
    return () => {}
  }

  report(id: number, record: ClientRecord | null): void {
    if (record) this.stored.set(id, record)
    else this.stored.delete(id)
    this.#listener({ id, record })
  }

  async all(): Promise<ClientRecord[]> {
    return [...this.stored.values()]
  }

  async add(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord> {
    const record = { id: this.stored.size + 1, ...client }
    this.report(record.id, record)
    return record
  }

  async addFirstAdmin(): Promise<null> {
    return null
  }

  async replace(client: ClientRecord, _audit: unknown, before: ClientRecord): Promise<void> {
    const present = this.stored.get(client.id) as ClientRecord
    if (JSON.stringify(present) !== JSON.stringify(before)) {
      this.#listener({ id: client.id, record: present })
      throw new StaleClient(client.id)
    }
    this.report(client.id, client)
  }

  async remove(id: number): Promise<void> {
    this.report(id, null)
  }

  async lastLogins(): Promise<ReadonlyMap<number, number>> {
    return new Map()
  }

  async previousLogin(): Promise<null> {
    return null
  }

  async recordLogins(): Promise<void> {}
}

let store: SharedClients
let clients: ClientList
let access: AccessControl
let heard: string[]
beforeEach(async () => {
  store = new SharedClients()
  store.stored.set(1, { id: 1, ...newClient('pump') })
  clients = await ClientList.open(store)
  heard = []
  access = new AccessControl({ clients })
  access.onChange(({ clientId, cause }) => heard.push(`${cause} of ${clientId}`))
})
const pump = (parts: Partial<ClientRecord> = {}): ClientRecord => ({ ...clients.get(1), ...parts })

test('client of another node: added, changed, renamed, removed → known at once, listeners as for own changes', () => {
  store.report(2, { id: 2, ...newClient('lamp') })
  expect([clients.byDevice('lamp')?.id, heard]).toEqual([2, []])
  store.report(1, pump({ description: 'main' }))
  expect(heard).toEqual([])
  store.report(1, pump({ devices: ['a'] }))
  store.report(1, pump({ passwordHash: 'y' }))
  store.report(1, pump({ role: 'READER' }))
  store.report(1, pump({ deviceId: 'valve' }))
  expect([clients.byDevice('pump'), clients.byDevice('valve')?.id]).toEqual([undefined, 1])
  store.report(1, null)
  expect(clients.byId(1)).toBeUndefined()
  expect(heard).toEqual([
    ...['rights-changed of 1', 'password-changed of 1', 'client-changed of 1', 'client-changed of 1'],
    'client-removed of 1',
  ])
})

test('client of another node: the new owner of a device id comes before its former owner leaves it → found', () => {
  store.report(2, { id: 2, ...newClient('pump') })
  store.report(1, pump({ deviceId: 'valve' }))
  expect([clients.byDevice('pump')?.id, clients.byDevice('valve')?.id]).toEqual([2, 1])
})

test('own change: the store reports it → applied once', async () => {
  await clients.change(1, { role: 'READER' })
  expect([clients.get(1).role, heard]).toEqual(['READER', ['client-changed of 1']])
})

test('own change: another node has changed the client → made from the newer record', async () => {
  store.stored.set(1, pump({ passwordHash: 'y' }))
  await clients.change(1, { description: 'main' })
  expect(clients.get(1)).toMatchObject({ passwordHash: 'y', description: 'main' })
})

test('key of another node: added, used, removed → valid, time of use known, connections end', async () => {
  let report: (update: RecordUpdate<KeyRecord>) => void = () => {}
  const keyStore: KeyStore = {
    ...{ all: async () => [], nextId: async () => 7, add: async () => {}, remove: async () => {} },
    recordUse: async () => {},
    watch(listener) {
      report = listener
      return () => {}
    },
  }
  const keys = await KeyList.open({ store: keyStore, clients, now: () => 1, duties: new Duties() })
  keys.onRemove(({ id }) => heard.push(`key ${id}`))
  const times = { createdAtMs: 1, lastUsedAtMs: null, expiresAtMs: null }
  const record: KeyRecord = { id: 7, clientId: 1, hash: 'h', description: '', ...times }
  report({ id: 7, record })
  report({ id: 7, record: { ...record, lastUsedAtMs: 5 } })
  expect(keys.of(1)).toMatchObject([{ id: 7, lastUsedAtMs: 5 }])
  report({ id: 7, record: null })
  report({ id: 7, record: null })
  expect([keys.of(1), heard]).toEqual([[], ['key 7']])
})

test('shared records: changes arrive late, or while all are read → the newest of each record', async () => {
  const change = (id: number, revision: number, record: string | null) => ({ id, revision, record })
  let finish: (rows: RecordChange<string>[]) => void = () => {}
  const records = new SharedRecords<string>(() => new Promise((resolve) => (finish = resolve)))
  const reported: unknown[] = []
  records.watch(({ id, record }) => reported.push([id, record]))
  const all = records.all()
  records.apply(change(1, 4, 'old'))
  records.apply(change(2, 6, 'new'))
  records.apply(change(3, 8, null))
  finish([change(1, 5, 'a'), change(2, 3, 'b'), change(3, 7, 'c')])
  expect(await all).toEqual(['a', 'new'])
  expect(reported.splice(0)).toEqual(
    expect.arrayContaining([
      [1, 'a'],
      [2, 'new'],
      [3, null],
    ]),
  )
  records.apply(change(1, 10, null))
  records.apply(change(1, 9, 'late'))
  expect(reported).toEqual([[1, null]])
  const reload = records.reload()
  finish([change(4, 11, 'd')])
  await reload
  expect(reported.slice(1)).toEqual(
    expect.arrayContaining([
      [2, null],
      [4, 'd'],
    ]),
  )
})
