/** Stores the fingerprints of the schema steps of each release, and a data directory that it wrote. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { STEPS } from '../../src/store/postgres/schema/schema.ts'
import { schemaFingerprint } from '../../src/store/schema-fingerprint.ts'
import { MIGRATIONS } from '../../src/store/sqlite/schema/migrations.ts'
import { BrokerUnderTest } from './broker.ts'
import { temporaryDirectory } from './cleanup.ts'
import { databaseIn } from './stored.ts'

/** Directory with a subdirectory per release, named after its version. */
export const RELEASES = fileURLToPath(new URL('../releases', import.meta.url))

/** Steps of each storage, oldest first. */
export interface Steps {
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}

const present = (): Steps => ({ sqlite: MIGRATIONS, postgres: STEPS.map(({ sql }) => sql) })

/** Answers of the API about a data directory, whatever the release. */
interface Content {
  readonly messages: readonly object[]
  readonly clients: readonly object[]
  readonly templates: readonly object[]
  readonly devices: readonly object[]
  /** Ids of the messages that a poll of `pump` returns, one after the other. */
  readonly next: number | null
}

export function releases(): string[] {
  return existsSync(RELEASES) ? readdirSync(RELEASES) : []
}

export async function writeRelease(directory: string): Promise<void> {
  const dataDir = temporaryDirectory()
  const broker = await BrokerUnderTest.start({ dataDir })
  await fill(broker)
  const content = await read(broker)
  await broker.server.kill()
  mkdirSync(directory, { recursive: true })
  const fingerprints = Object.entries(present()).map(([name, steps]: [string, readonly string[]]) => {
    return [name, steps.map((sql) => schemaFingerprint(sql))]
  })
  const write = (name: string, value: object) =>
    writeFileSync(join(directory, name), `${JSON.stringify(value, null, 2)}\n`)
  write('steps.json', Object.fromEntries(fingerprints))
  write('content.json', content)
  writeFileSync(join(directory, 'waybill.db.gz'), gzipSync(readFileSync(databaseIn(dataDir))))
}

/** Starts this release on the data directory of a release. Returns its answers, and the original answers. */
export async function openRelease(directory: string): Promise<{ found: Content; kept: Content }> {
  const dataDir = temporaryDirectory()
  writeFileSync(databaseIn(dataDir), gunzipSync(readFileSync(join(directory, 'waybill.db.gz'))), {
    mode: 0o600,
  })
  const found = await read(await BrokerUnderTest.start({ dataDir }))
  return { found, kept: JSON.parse(readFileSync(join(directory, 'content.json'), 'utf8')) }
}

/** Returns a line for each step of a release that has changed since. */
export function changedSteps(directory: string, { sqlite, postgres }: Steps = present()): string[] {
  const kept = JSON.parse(readFileSync(join(directory, 'steps.json'), 'utf8')) as Steps
  const compare = (store: string, released: readonly string[], steps: readonly string[]): string[] =>
    released.flatMap((fingerprint, at) => {
      const step = steps[at]
      if (step !== undefined && schemaFingerprint(step) === fingerprint) return []
      return `step ${at + 1} of ${store} was released: undo the change, and append a step that makes it`
    })
  return [
    ...compare('src/store/sqlite/schema/migrations.ts', kept.sqlite, sqlite),
    ...compare('src/store/postgres/schema/schema.ts', kept.postgres, postgres),
  ]
}

/** Stores messages of each status, and rows of each other kind. */
async function fill(broker: BrokerUnderTest): Promise<void> {
  const { rest } = broker
  const made = [
    await rest.post('/admin/api/clients', { deviseId: 'pump', password: 'a pump', role: 'DEVISE' }),
    await rest.post('/admin/api/clients', { deviseId: 'viewer', password: 'a viewer', role: 'READER' }),
    await rest.post('/admin/api/saved-messages', { clientId: null, command: 'start', data: { speed: 1 } }),
    await rest.put('/admin/api/devices/pump', { maxAttempts: 3, queueLimit: 50 }),
  ]
  for (const { status, text } of made) if (status >= 300) throw new Error(`${status} ${text}`)
  for (const deliveryStatus of ['COMPLETED', 'COMPLETED_WITH_ERROR', 'DELIVERED']) {
    const id = await broker.send('pump', { command: 'start', data: { text: 'a \u0000 b', n: 1.0 } })
    await broker.poll('pump')
    await broker.acknowledge('pump', { id, deliveryStatus, result: { rpm: 1 }, reason: 'runs' })
  }
  const cancelled = await broker.send('pump', { command: 'stop' })
  await rest.post(`/producer/cancelMessage/${cancelled}`, {})
  const unfinished = await broker.send('lamp', { command: 'on', finishSeconds: 1 })
  await broker.acknowledge('lamp', { id: unfinished, deliveryStatus: 'DELIVERED' })
  await rest.get(`/producer/getMessageStatus/${unfinished}?wait=10`)
  await broker.send('pump', { command: 'set', believerGuarantee: 'ONLY_LAST', data: { n: 1 } })
  await broker.send('pump', { command: 'set', believerGuarantee: 'ONLY_LAST', data: { n: 2 } })
  await broker.send('pump', {
    command: 'late',
    delaySeconds: 86_400,
    validSeconds: 172_800,
    idempotencyKey: 'k',
  })
  await broker.send('door', { command: 'open', believerGuarantee: 'NO' })
  await broker.poll('door')
}

async function read(broker: BrokerUnderTest): Promise<Content> {
  const list = async (path: string): Promise<object[]> => {
    const { status, body, text } = await broker.rest.get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return Array.isArray(body) ? body : (body as { items: object[] }).items
  }
  const picked = (items: object[], ...names: string[]): object[] =>
    items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))))
  return {
    messages: await list('/admin/api/messages'),
    clients: picked(await list('/admin/api/clients'), 'id', 'deviseId', 'role'),
    templates: await list('/admin/api/saved-messages'),
    devices: picked(await list('/admin/api/devices'), 'deviceId', 'maxAttempts', 'queueLimit'),
    next: await broker.next('pump'),
  }
}
