/** Lists devices in SQLite: clients and owners of messages, page by page. The pending messages are in memory. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type {
  DeviceDetailRecord,
  DeviceQueues,
  DeviceRecord,
  DeviceStore,
  FailedMessage,
  LastMessage,
  QueueContent,
} from '../../../broker/contract/device-store.ts'
import type { Page } from '../../../broker/contract/message-log.ts'
import { compareIds } from '../../../broker/vocabulary/id-order.ts'
import { inLowerCase } from '../../../broker/vocabulary/text-part.ts'
import type { Writer } from '../database/writer.ts'
import type { MessageIndex } from '../messages/message-index.ts'
import type { SqliteMessages } from '../messages/messages.ts'
import type { Queues } from '../messages/queues.ts'
import { DeviceDetails } from './device-details.ts'

/** Maximum messages read outside the index by device, which is filled while the writer is idle. */
const MAX_SCAN = 10_000
const RECENT = '(SELECT id, device_id FROM messages WHERE id >= ? ORDER BY id DESC LIMIT ?)'
/** Time after which a search ends its page, because it blocks the event loop. */
const BUDGET_MS = 15
/** Devices read between two checks of the clock. */
const STEP = 500

/** Newest message outside the index, by device, in the order of the devices. */
type RecentMessageIds = ReadonlyMap<string, number>

/** Devices that are described between two turns of the event loop. */
const DETAILS_STEP = 100

/** Maximum messages of a queue that are counted by their commands. */
const MAX_COUNTED = 10_000

interface Parts {
  readonly writer: Writer
  readonly queues: Queues
  readonly index: MessageIndex
  readonly messages: SqliteMessages
}

/** Combines clients, the index by device and the newest messages. */
export class SqliteDevices implements DeviceStore {
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #index: MessageIndex
  readonly #messages: SqliteMessages
  readonly #details: DeviceDetails
  readonly #clients: Statement<[after: string, limit: number], string>
  readonly #indexed: Statement<[after: string, limit: number], string>
  readonly #recent: Statement<
    [from: number, scan: number, after: string, limit: number],
    [deviceId: string, id: number]
  >
  readonly #lastRecent: Statement<[from: number, scan: number, deviceId: string], number | null>
  readonly #lastIndexed: Statement<[deviceId: string], number>
  readonly #clientId: Statement<[deviceId: string], number>
  readonly #message: Statement<[id: number], LastMessage>

  /** @param db connection for reads */
  constructor(db: Database, { writer, queues, index, messages }: Parts) {
    this.#writer = writer
    this.#queues = queues
    this.#index = index
    this.#messages = messages
    this.#details = new DeviceDetails(db, messages)
    this.#clients = db
      .prepare<[string, number], string>(
        'SELECT device_id FROM clients WHERE device_id > ? ORDER BY device_id LIMIT ?',
      )
      .pluck()
    this.#indexed = db
      .prepare<[string, number], string>(
        'SELECT device_id FROM newest_messages WHERE device_id > ? ORDER BY device_id LIMIT ?',
      )
      .pluck()
    this.#recent = db
      .prepare<[number, number, string, number], [string, number]>(
        `SELECT device_id, max(id) FROM ${RECENT} WHERE device_id > ? GROUP BY device_id ORDER BY device_id LIMIT ?`,
      )
      .raw()
    this.#lastRecent = db
      .prepare<[number, number, string], number | null>(`SELECT max(id) FROM ${RECENT} WHERE device_id = ?`)
      .pluck()
    this.#lastIndexed = db
      .prepare<[string], number>('SELECT message_id FROM newest_messages WHERE device_id = ?')
      .pluck()
    this.#clientId = db.prepare<[string], number>('SELECT id FROM clients WHERE device_id = ?').pluck()
    this.#message = db.prepare('SELECT id, command, status, created_at_ms AS atMs FROM messages WHERE id = ?')
  }

  async list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>> {
    return this.#writer.readSynced(() => this.#list(after, limit, search))
  }

  async get(deviceId: string): Promise<DeviceRecord> {
    return this.#writer.readSynced(() => {
      const last = this.#lastRecent.get(this.#index.end, MAX_SCAN, deviceId) ?? null
      return this.#record(deviceId, new Map(last === null ? [] : [[deviceId, last]]))
    })
  }

  owners(after: string, limit: number): Promise<Page<string, string>> {
    return this.#writer.readSynced(() => {
      const recent = this.#recent.all(this.#index.end, MAX_SCAN, after, limit).map(([deviceId]) => deviceId)
      const items = inOrder([...this.#indexed.all(after, limit), ...recent]).slice(0, limit)
      return { items, next: items.length < limit ? null : (items.at(-1) ?? null) }
    })
  }

  async details(deviceIds: readonly string[]): Promise<readonly DeviceDetailRecord[]> {
    const found: DeviceDetailRecord[] = []
    let recent: RecentMessageIds | null = null
    for (let at = 0; at < deviceIds.length; at += DETAILS_STEP) {
      if (at > 0) await turn()
      const step = deviceIds.slice(at, at + DETAILS_STEP)
      const records = await this.#writer.readSynced(() => {
        recent ??= new Map(this.#recent.all(this.#index.end, MAX_SCAN, '', MAX_SCAN))
        return step.map((deviceId) => this.#details.of(this.#record(deviceId, recent as RecentMessageIds)))
      })
      found.push(...records)
    }
    return found
  }

  queues(): DeviceQueues {
    const queues = this.#queues
    return {
      get count() {
        return queues.count
      },
      devices: () => queues.devices(),
      sizeOf: (deviceId) => queues.size(deviceId),
      oldestOf: (deviceId) => queues.head(deviceId),
    }
  }

  queue(deviceId: string, limit: number): QueueContent {
    const counts = [...this.#queues.commands(deviceId, MAX_COUNTED)]
    return {
      total: this.#queues.size(deviceId),
      ids: this.#queues.ids(deviceId).slice(0, limit),
      commands: counts.map(([command, count]) => ({ command, count })).sort((a, b) => b.count - a.count),
    }
  }

  countExpiring(deviceId: string, untilMs: number | null): number {
    const expiresMs = this.#queues.ids(deviceId).map((id) => this.#queues.expiresAtMs(id))
    return expiresMs.filter((atMs) => atMs !== null && (untilMs === null || atMs <= untilMs)).length
  }

  blocked(): Promise<readonly string[]> {
    return this.#messages.blocked()
  }

  failed(): Promise<readonly FailedMessage[]> {
    return this.#writer.readSynced(() => this.#details.failed())
  }

  #list(after: string, limit: number, search: string): Page<DeviceRecord, string> {
    const until = performance.now() + BUDGET_MS
    const step = search === '' ? limit + 1 : STEP
    const recent = new Map(
      this.#recent.all(this.#index.end, MAX_SCAN, after, search === '' ? step : MAX_SCAN),
    )
    const wanted = inLowerCase(search)
    const page = (next: string | null) => ({ items: found.map((id) => this.#record(id, recent)), next })
    const found: string[] = []
    let remaining = [...recent.keys()]
    for (let last = after; ; ) {
      const ids = this.#idsAfter(last, step, remaining)
      for (const id of ids) {
        if (found.length === limit) return page(last)
        if (inLowerCase(id).includes(wanted)) found.push(id)
        last = id
      }
      if (ids.length < step) return page(null)
      if (performance.now() > until) return page(last)
      remaining = remaining.filter((id) => compareIds(last, id) < 0)
    }
  }

  /** Returns the next ids of all sources, in order. @param recent ids after `after` */
  #idsAfter(after: string, limit: number, recent: readonly string[]): string[] {
    const all = [
      ...this.#clients.all(after, limit),
      ...this.#indexed.all(after, limit),
      ...recent.slice(0, limit),
    ]
    return inOrder(all).slice(0, limit)
  }

  #record(deviceId: string, recent: RecentMessageIds): DeviceRecord {
    const oldest = this.#queues.head(deviceId)
    const last = recent.get(deviceId) ?? this.#lastIndexed.get(deviceId)
    return {
      deviceId,
      clientId: this.#clientId.get(deviceId) ?? null,
      waiting: this.#queues.size(deviceId),
      oldestAtMs: oldest === null ? null : (this.#message.get(oldest)?.atMs ?? null),
      last: last === undefined ? null : (this.#message.get(last) ?? null),
    }
  }
}

/** Returns each id once, in the order of SQLite. */
function inOrder(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort(compareIds)
}
