/** Readers of the event streams of a fault run, one for each node. Each records the statuses of all messages until its stream ends. */
import type { Status } from '../../../src/broker/vocabulary/status.ts'
import { EventStream } from '../../_support/events.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { RunRecords } from './records.ts'

interface MessageEvent {
  readonly id: number
  readonly deliveryStatus: Status
}

export class EventReaders {
  readonly #records: RunRecords
  readonly #streams: EventStream[] = []
  #isClosed = false

  constructor(records: RunRecords) {
    this.#records = records
  }

  /** Resolves when each node sends its events. */
  async start(nodes: readonly ClusterNode[], token: string): Promise<void> {
    await Promise.all(
      nodes.map(async ({ url, index }) => {
        const headers = { authorization: `Bearer ${token}` }
        const stream = await EventStream.open(`${url}/admin/api/events`, headers)
        await stream.next()
        this.#streams.push(stream)
        const connection = `events of node ${index}`
        this.#records.listeners.set(connection, null)
        void this.#read(stream, connection)
      }),
    )
  }

  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams) stream.leave()
  }

  async #read(stream: EventStream, connection: string): Promise<void> {
    const { announcements, listeners } = this.#records
    for (;;) {
      const event = await stream.next().catch(() => null)
      if (this.#isClosed) return
      if (event === null) {
        listeners.delete(connection)
        return
      }
      if (event.type !== 'message') continue
      const { id, deliveryStatus: status } = event.data as MessageEvent
      announcements.push({ id, status, connection })
    }
  }
}
