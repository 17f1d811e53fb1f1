/** The whole storage contract while PostgreSQL does not answer: each method says so by the error storage-away. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { NODE_CONNECTIONS } from '../../src/store/postgres/database.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { NodesUnderTest, type OpenNode, startPostgresProxy } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { RULES } from '../contract/store-under-test.ts'

const LIMITS = { messages: 10, bytes: 0 }
const ENTRY = {
  by: { clientId: 'boss', keyId: null, address: null },
  ...({ action: 'client.create', object: 'pump', detail: {} } as const),
}
const CLIENT = {
  ...{ deviceId: 'pump', passwordHash: 'x', role: 'DEV', description: '', devices: [] },
  ...{ ownQueueOnly: null, changedAtMs: 0 },
} as const
const KEY = {
  ...{ id: 1, clientId: 1, hash: 'x', description: '', createdAtMs: 0 },
  ...{ lastUsedAtMs: null, expiresAtMs: null },
}
const TEMPLATE = {
  ...{ clientId: 1, description: '', command: 'start', guarantee: 'NO', data: '1' },
  ...{ validSeconds: null, finishSeconds: null, maxAttempts: null },
} as const
const HEAD = { message: { id: 1, guarantee: 'NO', command: 'start', data: '1' }, attempt: null } as const
const MINUTE = {
  ...{ atMs: 0, stored: 1, delivered: 0, completed: 0, unacknowledged: 0, pending: 1 },
  ...{ upFromMs: 0, upToMs: 1, deliveries: null },
}
const NEVER_ABORTED = new AbortController().signal
const REPORT = {
  ...{ id: 1, state: 'RUNNING', lines: 0, done: 0, created: 0, changed: 0, unchanged: 0, refused: [] },
} as const
const REJECTION = {
  ...({ reason: 'WRONG_CREDENTIALS', message: '', deviceId: null, clientId: null, address: null } as const),
  ...({ transport: 'REST', count: 1, firstAtMs: 0, atMs: 0 } as const),
}

/** Methods that read or change nothing in the database. */
const LOCAL = [
  // Performs the reads of other parts, such as the hand-over.
  'run',
  'isLive',
  'watch',
  'onAdded',
  'added',
  'received',
  'onNews',
  'onLapse',
  'giveUp',
  'make',
  'close',
  'constructor',
]

const OPEN_INCIDENTS = {
  ...{ isEnded: false, state: null, kind: null, deviceId: null, fromMs: null, toMs: null, beforeId: null },
}

const NO_PRESENCE = { sightings: [], periods: [], events: [] }

type Calls = Readonly<Record<string, readonly unknown[]>>

/** Arguments of each method, by the part of the storage. */
const ARGUMENTS: Readonly<Record<string, Calls>> = {
  messages: {
    enqueue: [message(), LIMITS],
    attach: ['pump', 'MQTT'],
    line: ['pump'],
    head: ['pump'],
    take: ['pump', HEAD, RULES],
    takeFirst: ['pump', RULES],
    park: ['pump', { messageId: 1, number: 1 }],
    endAttempt: ['pump', { messageId: 1, number: 1, atMs: 1, outcome: 'TIMEOUT' }],
    openAttempts: [],
    refuseAnswer: ['pump', 'not JSON'],
    acknowledge: [{ deviceId: 'pump', messageId: 1, status: 'DELIVERED', by: null, report: null }],
    cancel: [1, { by: null, force: false }],
    cancelAll: ['pump', { force: false, by: null }, { limit: 10 }],
    replay: [1, { by: null, limits: LIMITS }],
    replayAll: [{}, { by: null, limitsOf: () => LIMITS, limit: 10 }],
    sendFailed: [1],
    setBusy: ['pump', 1],
    busyDevices: [],
    changeService: [[{ deviceId: 'pump', service: null, audit: null }]],
    devicesOutOfService: [],
    expire: [10],
    status: [1],
    parties: [1],
    pendingDevices: [],
    deviceSettings: [],
    changeDeviceSettings: ['pump', GENERAL_SETTINGS],
    purge: [1],
    purgeSubmissions: [1],
    newestMs: [],
  },
  messageLog: {
    ...{ list: [{}, 10], get: [1], extras: [1], getAll: [[1]] },
    ...{ attemptCounts: [[1]], neighbours: [1], resends: [[1]] },
  },
  searches: {
    page: [{}, 10, NEVER_ABORTED],
    count: [{}, NEVER_ABORTED],
    suggest: ['command', 'st', 10],
  },
  handover: { read: [{ fromMs: 1, toMs: 2, beforeMs: 0 }] },
  clients: {
    all: [],
    reload: [],
    add: [CLIENT],
    addFirstAdmin: [CLIENT],
    replace: [{ id: 1, ...CLIENT }],
    remove: [1],
    lastLogins: [],
    previousLogin: [1],
    recordLogins: [[[1, 0]]],
  },
  keys: { all: [], reload: [], nextId: [], add: [KEY, null], remove: [1, null], recordUse: [1, 1] },
  audit: { add: [ENTRY], complete: [1, {}], list: [EVERY_LINE, 10], purge: [1], newestMs: [] },
  devices: {
    ...{ list: ['', 10, ''], get: ['pump'], owners: ['', 10], details: [['pump']] },
    ...{ queues: [], queue: ['pump', 10], blocked: [], failed: [], countExpiring: ['pump', null] },
  },
  templates: { list: [{}], get: [1], add: [TEMPLATE], replace: [1, TEMPLATE], remove: [1] },
  alertAcks: {
    all: [],
    put: [{ key: 'FAILED:pump', by: 'boss', count: 1, note: null }],
    remove: ['FAILED:pump'],
  },
  incidents: {
    ...{ current: [0], write: [[]], list: [OPEN_INCIDENTS, 1], get: [1], members: [1, '', 1], lines: [1, 1] },
    ...{ covered: [], counts: [], rules: [], setRules: [[]], purge: [1], newestMs: [], isRecorder: [] },
    ofDevice: ['pump', 0, 1, 1],
    ...{ signalsOf: [[1]], openSignals: [], changedAfter: [{ changedMs: 0, id: 0 }, 1] },
  },
  notes: {
    list: ['pump'],
    add: [{ deviceId: 'pump', by: null, text: 'a new valve' }],
    remove: ['pump', 1],
  },
  presence: {
    ...{ begin: ['1.0.0'], record: [1, NO_PRESENCE], latest: [1], sightings: [['pump']] },
    ...{
      periods: ['pump', 0, 1, 1],
      events: ['pump', 0, 1, 1],
      recent: [['pump'], 1],
      connects: [1, 1],
      addresses: [['pump']],
      runs: [0, 1, 1],
      purge: [1],
    },
  },
  stats: {
    pending: [],
    oldest: [10],
    nearlyFull: [10],
    newest: ['UNKNOWN', 0, 10],
    unknown: [0],
    space: [],
    counts: [],
    failures: [10],
  },
  statistics: {
    add: [[MINUTE]],
    rows: [60_000, 0, 60_000],
    failures: [0],
    oldestMs: [60_000],
    purge: [60_000, 0],
    ofDevice: ['pump', 10],
  },
  metrics: { delayed: [], parked: [], standbyMissing: [] },
  shared: { get: ['x'], ensure: ['x', 'y'], set: ['x', 'y'], remove: ['x'], alone: [async () => 1] },
  'nodes.cluster': {
    tell: [{ is: 'connection-ended', nodeId: 1, connectionId: 1, by: null, discardsWill: false }],
  },
  'nodes.sessions': {
    take: [{ sessionId: 'pump', isClean: false, expirySeconds: 0 }],
    keep: ['pump', 1, '[]'],
    release: ['pump', 1, 0],
  },
  'nodes.connections': {
    put: [{ id: 1, deviceId: 'pump' }],
    remove: [1],
    list: [0, 10, null],
    search: [0, 10, { search: 'pu', deviceId: null }],
    get: [1],
    count: [],
  },
  'nodes.presence': {
    put: [{ deviceId: 'pump', connected: true, transport: 'MQTT', atMs: 0 }],
    connected: [],
    livingNodes: [],
    seen: [[{ deviceId: 'pump', atMs: 0 }]],
    seenSince: [null],
  },
  'nodes.rejections': { add: [[REJECTION]], all: [] },
  'nodes.listeners': { announce: [{ scheme: 'mqtt', host: null, port: 1 }], others: [] },
  'nodes.retained': {
    put: [{ topic: 'lamp', content: null, expiresAtMs: null }],
    read: [['lamp']],
    list: ['', 10],
  },
  'nodes.imports': { begin: [REPORT], save: [REPORT], get: [1] },
}

const PARTS = Object.keys(ARGUMENTS)
/** Parts that are no contract of the storage, or whose answer needs no database. */
const OTHERS = ['backups', 'cluster', 'journal', 'node', 'nodes']

function partOf(node: OpenNode, name: string): object {
  return name.split('.').reduce((part, key) => Reflect.get(part, key) as object, node as object)
}

/** Returns the names of the methods of an object or of its class. */
function methodsOf(part: object): string[] {
  const prototype: object = Object.getPrototypeOf(part)
  const names = [part, ...(prototype === Object.prototype ? [] : [prototype])].flatMap((each) =>
    Object.getOwnPropertyNames(each).filter((name) => {
      const { value } = Object.getOwnPropertyDescriptor(each, name) ?? {}
      return typeof value === 'function' && !LOCAL.includes(name)
    }),
  )
  return names.toSorted()
}

/** Returns each method of the storage with its arguments. */
function callsOf(node: OpenNode): (readonly [name: string, call: () => Promise<unknown>])[] {
  return PARTS.flatMap((name) => {
    const part = partOf(node, name)
    return Object.entries(ARGUMENTS[name] ?? {}).map(([method, args]) => {
      const call = () =>
        (Reflect.get(part, method) as (...all: unknown[]) => Promise<unknown>).apply(part, [...args])
      return [`${name}.${method}`, call] as const
    })
  })
}

describe('PostgreSQL is stopped', () => {
  let node: OpenNode
  let opened: readonly unknown[]
  beforeAll(async () => {
    const server = new PostgresServer(['fsync = off'])
    node = await new NodesUnderTest(server).open()
    await Promise.allSettled(callsOf(node).map(([, call]) => call()))
    opened = await server.query(
      'SELECT FROM pg_stat_activity WHERE usesysid IS NOT NULL AND datid IS NOT NULL',
    )
    server.stop('immediate')
    return async () => {
      await node.close()
      server.remove()
    }
  })

  test('each part of the storage is here', () => {
    const partsIn = (object: object) =>
      Object.entries(object).flatMap(([name, part]) => (typeof part === 'object' ? [name] : []))
    const names = [...partsIn(node), ...partsIn(node.nodes).map((name) => `nodes.${name}`)]
    expect(names.filter((name) => !OTHERS.includes(name)).toSorted()).toEqual(PARTS.toSorted())
  })

  test.each(PARTS)('%s: each method has its arguments here', (name) => {
    expect(Object.keys(ARGUMENTS[name] ?? {}).toSorted()).toEqual(methodsOf(partOf(node, name)))
  })

  test('every method of the storage was used → the node has as many connections as a start asks for', () => {
    // The session of this look takes the place of the one for work that one node does at a time. A single node sends no hints.
    expect(opened).toHaveLength(NODE_CONNECTIONS - 1)
  })

  test('every method of the storage → storage-away', async () => {
    const calls = callsOf(node).map(async ([name, call]) => {
      const answer = call().then(
        () => 'resolved',
        (error: { readonly code?: unknown; readonly name?: unknown }) => `${error.name} ${error.code}`,
      )
      return [name, await answer] as const
    })
    const answers = await Promise.all(calls)
    expect(answers.filter(([, answer]) => answer !== 'BrokerError storage-away')).toEqual([])
  })
})

test('reads: the database swallows all answers → every waiting read is refused in time', async () => {
  const proxy = await startPostgresProxy(postgresServer())
  const node = await new NodesUnderTest(postgresServer()).open({ hosts: [proxy.config] })
  proxy.dropsAnswers = true
  const reads = await Promise.allSettled(Array.from({ length: 50 }, () => node.messageLog.get(1)))
  const codes = reads.map((each) => (each.status === 'rejected' ? each.reason.code : 'resolved'))
  expect(new Set(codes)).toEqual(new Set(['storage-away', 'storage-busy']))
  proxy.dropsAnswers = false
  proxy.cut()
  await vi.waitFor(async () => expect(await node.messageLog.get(1)).toBeNull(), { timeout: WAIT_MS })
})
