/** This process as one of the nodes that share the database. */
import { version } from '../../process/version.ts'
import type { Connection } from './connection.ts'

/** Duration of a node's lease, in milliseconds. */
export const LEASE_MS = 10_000

export class Node {
  readonly #connection: Connection
  #id = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Number of the node, unique among all processes that ever ran. 0 before the registration. */
  get id(): number {
    return this.#id
  }

  /** Tells whether the lease of this node holds, so that what a claim took may be sent. */
  isLive(): boolean {
    return true
  }

  /** Registers the process as a new node. @param lanes number of lanes with tickets */
  async register(lanes: number): Promise<void> {
    const rows = await this.#connection.run<{ id: number }>(
      `WITH node AS (
         INSERT INTO nodes (node_id, release, started_at_ms, lease_until_ms, tail_xid)
         VALUES (nextval('node_ids'), $1, now_ms(), now_ms() + $2, pg_snapshot_xmin(pg_current_snapshot())) RETURNING node_id),
       lanes AS (
         INSERT INTO tickets (node_id, lane, no) SELECT node_id, lane, 0 FROM node, generate_series(0, $3::int - 1) lane)
       SELECT node_id AS id FROM node`,
      [version(), LEASE_MS, lanes],
    )
    this.#id = rows[0]?.id ?? 0
  }

  /** Resolves when every live node has handled the changes that this node has committed. */
  async barrier(): Promise<void> {}
}
