/** Looks up messages by their ids, the devices with pending messages, and the open attempts. */
import type { DeviceAttempt, OpenAttempt } from '../../../broker/contract/device-lease.ts'
import type { MessageParties } from '../../../broker/vocabulary/message.ts'
import type { Status } from '../../../broker/vocabulary/status.ts'
import { decodeText } from '../database/text.ts'
import { SHARED } from '../database/verbs.ts'
import type { PostgresParts } from '../parts.ts'
import { STATUS_CODES } from '../schema/codes.ts'

/** Devices per page of {@link Lookups.pendingDevices}, so that other reads of administrators run between two pages. */
const PAGE = 5_000
/**
 * Blocks of 8 KB per page of {@link Lookups.openAttempts}. There is no index of open attempts, because each dispatch
 * would change it.
 */
const BLOCKS = 5_000

export class Lookups {
  readonly #parts: PostgresParts
  readonly #status: (messageId: number) => Promise<number | null>
  readonly #parties: (messageId: number) => Promise<MessageParties | null>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#status = parts.verbs.read({ name: 'message_statuses', keysOf: () => SHARED })
    this.#parties = parts.verbs.read({ name: 'message_parties', keysOf: () => SHARED })
  }

  async status(messageId: number): Promise<Status | null> {
    const status = await this.#status(messageId)
    return status === null ? null : STATUS_CODES.name(status)
  }

  async parties(messageId: number): Promise<MessageParties | null> {
    const parties = await this.#parties(messageId)
    if (parties === null) return null
    const { deviceId, senderId, producerId } = parties
    return {
      deviceId: decodeText(deviceId),
      senderId: decodeText(senderId),
      producerId: decodeText(producerId),
    }
  }

  async pendingDevices(): Promise<Iterable<string>> {
    const devices: string[] = []
    let page: readonly string[]
    let after = ''
    do {
      const rows = await this.#parts.reads.run<{ page: string[] | null }>(
        { name: 'pending_devices', text: 'SELECT pending_devices($1, $2) AS page' },
        [after, PAGE],
      )
      page = rows[0]?.page ?? []
      for (const device of page) devices.push(decodeText(device))
      after = page.at(-1) ?? after
    } while (page.length === PAGE)
    return devices
  }

  async openAttempts(): Promise<readonly DeviceAttempt[]> {
    const attempts: DeviceAttempt[] = []
    let blocks = 1
    for (let from = 0; from < blocks; from += BLOCKS) {
      type Row = { attempts: { device: string; attempt: OpenAttempt }[]; blocks: number }
      const [row] = await this.#parts.reads.run<Row>(
        { name: 'open_attempts', text: 'SELECT * FROM open_attempts($1, $2)' },
        [from, from + BLOCKS],
      )
      blocks = row?.blocks ?? 0
      for (const { device, attempt } of row?.attempts ?? [])
        attempts.push({ deviceId: decodeText(device), ...attempt })
    }
    return attempts
  }

  async newestMs(): Promise<number | null> {
    const rows = await this.#parts.reads.run<{ ms: number }>(
      'SELECT created_at_ms AS ms FROM messages ORDER BY id DESC LIMIT 1',
    )
    return rows[0]?.ms ?? null
  }
}
