/** Lists devices, clients and owners of messages, page by page. */
import type { OpenAttempt } from '../../../broker/contract/device-lease.ts'
import type {
  DeviceDetailRecord,
  DeviceFlight,
  DeviceQueues,
  DeviceRecord,
  DeviceStore,
  FailedMessage,
  LastMessage,
  QueueContent,
} from '../../../broker/contract/device-store.ts'
import type { Page } from '../../../broker/contract/message-log.ts'
import { FAILED_STATUSES } from '../../../broker/vocabulary/status.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { CAUSE_CODES, STATUS_CODES } from '../schema/codes.ts'
import { messagesOf, newestRare } from '../schema/rare-messages.ts'

/** Maximum ids that one page of a search reads. Each takes two look-ups in an index. */
const MAX_SEARCHED = 2_000

interface Row {
  readonly device_id: string
  readonly client_id: number | null
  readonly waiting: number
  readonly oldest_at_ms: number | null
  readonly last: (Omit<LastMessage, 'status'> & { readonly status: number }) | null
}

interface DetailRow {
  readonly attempt: OpenAttempt | null
  readonly command: string | null
  readonly first_at_ms: number | null
  readonly delivery_ms: number | null
}

/** Maximum pending messages that are counted one by one for the lengths of the queues. */
const MAX_COUNTED = 100_000
/** Maximum messages of a queue that are counted by their commands. */
const MAX_COMMANDS = 10_000
/** Maximum device lines that are read for blocked devices. */
const MAX_LINES = 100_000
/** Maximum messages per status that are read for failures. */
const MAX_FAILED = 10_000

export class PostgresDevices implements DeviceStore {
  readonly #parts: PostgresParts
  readonly #pendingDevices: () => Promise<Iterable<string>>

  /** @param pendingDevices returns the devices with pending messages */
  constructor(parts: PostgresParts, pendingDevices: () => Promise<Iterable<string>>) {
    this.#parts = parts
    this.#pendingDevices = pendingDevices
  }

  async list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>> {
    // One step more than ids, to learn whether a next page exists.
    const steps = search === '' ? limit + 1 : MAX_SEARCHED
    const [row] = await this.#parts.reads.run<{ page: { ids: string[]; next: string | null } }>(
      'SELECT list_device_ids($1, $2, $3, $4) AS page',
      [encodeText(after), limit, encodeText(search), steps],
    )
    const { ids, next } = row?.page ?? { ids: [], next: null }
    return { items: await this.#records(ids), next: decodeText(next) }
  }

  async get(deviceId: string): Promise<DeviceRecord> {
    const [record] = await this.#records([encodeText(deviceId)])
    return record ?? { deviceId, clientId: null, waiting: 0, oldestAtMs: null, last: null }
  }

  async owners(after: string, limit: number): Promise<Page<string, string>> {
    const [row] = await this.#parts.reads.run<{ page: string[] | null }>(
      'SELECT message_owners($1, $2) AS page',
      [encodeText(after), limit],
    )
    const items = (row?.page ?? []).map((deviceId) => decodeText(deviceId))
    return { items, next: items.length < limit ? null : (items.at(-1) ?? null) }
  }

  async details(deviceIds: readonly string[]): Promise<readonly DeviceDetailRecord[]> {
    const ids = deviceIds.map((deviceId) => encodeText(deviceId))
    const records = await this.#records(ids)
    const rows = await this.#parts.reads.run<DetailRow>('SELECT * FROM device_details($1)', [ids])
    return records.map((record, i) => ({
      ...record,
      flight: toFlight(rows[i]),
      deliveryMs: rows[i]?.delivery_ms ?? null,
    }))
  }

  async queues(): Promise<DeviceQueues> {
    const rows = await this.#parts.reads.run<{ device_id: string; messages: number; oldest: number }>(
      'SELECT * FROM queue_lengths($1)',
      [MAX_COUNTED],
    )
    const lengths = new Map(rows.map((row) => [decodeText(row.device_id), row] as const))
    const counted = rows.reduce((sum, { messages }) => sum + messages, 0)
    const devices = counted < MAX_COUNTED ? [...lengths.keys()] : [...(await this.#pendingDevices())]
    const others = new Set(devices)
    return {
      count: devices.length,
      devices: () => devices,
      sizeOf: (deviceId) => lengths.get(deviceId)?.messages ?? Number(others.has(deviceId)),
      oldestOf: (deviceId) => lengths.get(deviceId)?.oldest ?? null,
    }
  }

  async queue(deviceId: string, limit: number): Promise<QueueContent> {
    const [row] = await this.#parts.reads.run<{ content: QueueContent }>(
      'SELECT queue_content($1, $2, $3) AS content',
      [encodeText(deviceId), limit, MAX_COMMANDS],
    )
    const { total = 0, ids = [], commands = [] } = row?.content ?? {}
    return { total, ids, commands: commands.map((each) => ({ ...each, command: decodeText(each.command) })) }
  }

  async countExpiring(deviceId: string, untilMs: number | null): Promise<number> {
    const [row] = await this.#parts.reads.run<{ count: number }>(
      'SELECT count(*)::int AS count FROM pending WHERE device_id = $1 AND expires_at_ms <= coalesce($2, expires_at_ms)',
      [encodeText(deviceId), untilMs],
    )
    return row?.count ?? 0
  }

  async blocked(): Promise<readonly string[]> {
    const rows = await this.#parts.reads.run<{ device_id: string }>('SELECT * FROM blocked_devices($1)', [
      MAX_LINES,
    ])
    return rows.map(({ device_id }) => decodeText(device_id))
  }

  async failed(): Promise<readonly FailedMessage[]> {
    const newest = FAILED_STATUSES.map((status) =>
      messagesOf(
        newestRare([status], { limit: MAX_FAILED }),
        'm.device_id, m.status, m.cause, m.changed_at_ms',
      ),
    )
    const rows = await this.#parts.reads.run<
      Omit<FailedMessage, 'deviceId'> & { readonly device_id: string }
    >(
      `SELECT id AS "messageId", device_id, changed_at_ms AS "changedAtMs",
         (status = ${STATUS_CODES.of('UNKNOWN')} AND cause = ${CAUSE_CODES.of('NOT_ACKNOWLEDGED')}) IS TRUE AS "isParked"
       FROM (${newest.join(' UNION ALL ')}) m`,
    )
    return rows.map(({ device_id, ...message }) => ({ ...message, deviceId: decodeText(device_id) }))
  }

  async #records(ids: readonly string[]): Promise<DeviceRecord[]> {
    const rows = await this.#parts.reads.run<Row>('SELECT * FROM device_records($1)', [ids])
    return rows.map(toRecord)
  }
}

function toRecord({ device_id, client_id, waiting, oldest_at_ms, last }: Row): DeviceRecord {
  return {
    deviceId: decodeText(device_id),
    clientId: client_id,
    waiting,
    oldestAtMs: oldest_at_ms,
    last: last && { ...last, command: decodeText(last.command), status: STATUS_CODES.name(last.status) },
  }
}

function toFlight(row: DetailRow | undefined): DeviceFlight | null {
  if (!row?.attempt) return null
  const { messageId, counted, maxAttempts, atMs, runningMs } = row.attempt
  const firstAtMs = row.first_at_ms ?? atMs
  const command = decodeText(row.command ?? '')
  return { messageId, command, counted, maxAttempts, atMs, firstAtMs, runningMs }
}
