/** Lists devices, clients and owners of messages, page by page. */
import type { DeviceRecord, DeviceStore, LastMessage } from '../../broker/devices.ts'
import type { Page } from '../../broker/message-log.ts'
import { STATUS_CODES } from './codes.ts'
import type { PostgresParts } from './parts.ts'
import { decodeText, encodeText } from './text.ts'

/** Maximum ids that one page of a search reads. Each takes two look-ups in an index. */
const MAX_SEARCHED = 2_000

interface Row {
  readonly device_id: string
  readonly client_id: number | null
  readonly waiting: number
  readonly oldest_at_ms: number | null
  readonly last: (Omit<LastMessage, 'status'> & { readonly status: number }) | null
}

export class PostgresDevices implements DeviceStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
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
