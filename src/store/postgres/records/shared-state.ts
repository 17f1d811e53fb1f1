/** Stores shared state other than messages, clients and sessions: connections, presence, rejections, import reports. */
import { importRunning } from '../../../auth/errors.ts'
import type { ImportReport } from '../../../auth/import-report.ts'
import { MAX_REPORTS } from '../../../auth/import-store.ts'
import type { Cluster } from '../../../broker/contract/cluster.ts'
import { type CountedRejection, MAX_REJECTIONS, type Rejection } from '../../../broker/views/rejection-log.ts'
import { formsOf } from '../../../broker/vocabulary/text-part.ts'
import type { ListedConnection } from '../../../transport/connections.ts'
import type { SharedState } from '../../shared-state.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { postgresRetained } from './retained.ts'
import { postgresSessions } from './shared-sessions-store.ts'

/** Call of the function `share`, with its operation. JSON inside a text is stored unchanged. */
export type ShareCall = { readonly op: string; readonly key: string } & Readonly<Record<string, unknown>>

/** Period of the removal of obsolete rows, in milliseconds. */
const TIDY_MS = 60_000
const MAX_SEEN = 100_000

type Reads = PostgresParts['reads']
type Node = PostgresParts['node']

/** @param onError called with the error of a failed removal */
export function postgresShared(
  parts: PostgresParts,
  cluster: Cluster,
  onError: (error: unknown) => void = () => {},
): SharedState & { readonly share: Share; close(): void } {
  const { verbs, reads, node } = parts
  const share = verbs.write<ShareCall, unknown>({
    name: 'share',
    // The caller may repeat a call without an answer in time, which adds its counts twice.
    keysOf: ({ key }) => ({ alone: [key], shared: [] }),
  })
  const tidy = setInterval(() => {
    // The next run follows soon.
    reads.run('SELECT tidy_shared($1, $2)', [MAX_REJECTIONS, MAX_REPORTS]).catch(onError)
  }, TIDY_MS).unref()
  return {
    share,
    cluster,
    sessions: postgresSessions(verbs),
    connections: connectionsOf(share, reads, node),
    presence: presenceOf(share, reads, node),
    rejections: rejectionsOf(share, reads),
    imports: importsOf(share, reads, node),
    listeners: listenersOf(share, reads, node),
    retained: postgresRetained(parts, cluster),
    close: () => clearInterval(tidy),
  }
}

export type Share = (call: ShareCall) => Promise<unknown>

function connectionsOf(share: Share, reads: Reads, node: Node): SharedState['connections'] {
  const others = 'connections WHERE node_id <> ALL($1) AND node_id IN (SELECT living_nodes($2))'
  const read = async (where: string, values: readonly unknown[]): Promise<ListedConnection[]> => {
    const rows = await reads.run<{ description: ListedConnection }>(
      `SELECT description FROM ${others} AND ${where}`,
      [node.ids, node.silent, ...values],
    )
    return rows.map(({ description }) => description)
  }
  return {
    async put(connection) {
      const { id, deviceId } = connection
      const description = JSON.stringify(connection)
      await share({ op: 'connection', key: `c${id}`, id, device_id: encodeText(deviceId), description })
    },
    async remove(id) {
      await share({ op: 'connection-closed', key: `c${id}`, id })
    },
    list: (after, limit, deviceId) =>
      read('connection_id > $3 AND ($5::text IS NULL OR device_id = $5) ORDER BY connection_id LIMIT $4', [
        after,
        limit,
        encodeText(deviceId),
      ]),
    async search(after, limit, { search, deviceId }) {
      const forms = formsOf(search).map((form) => encodeText(form))
      const matches = '($4::text IS NULL OR device_id = $4) AND is_found(device_id, description, $3)'
      const filter = [forms, encodeText(deviceId ?? null)]
      const items = await read(`connection_id > $5 AND ${matches} ORDER BY connection_id LIMIT $6`, [
        ...filter,
        after,
        limit,
      ])
      const [row] = await reads.run<{ count: number }>(
        `SELECT count(*) AS count FROM ${others} AND ${matches}`,
        [node.ids, node.silent, ...filter],
      )
      return { items, total: row?.count ?? 0 }
    },
    get: async (id) => (await read('connection_id = $3', [id]))[0] ?? null,
    async count() {
      const rows = await reads.run<{ count: number }>(`SELECT count(*) AS count FROM ${others}`, [
        node.ids,
        node.silent,
      ])
      return rows[0]?.count ?? 0
    },
  }
}

function listenersOf(share: Share, reads: Reads, node: Node): SharedState['listeners'] {
  return {
    async announce(address) {
      await share({ op: 'listener', key: 'listener', ...address })
    },
    others: () =>
      reads.run(
        `SELECT node_id AS "nodeId", scheme, host, port FROM mqtt_listeners
         WHERE node_id <> ALL($1) AND node_id IN (SELECT living_nodes($2))`,
        [node.ids, node.silent],
      ),
  }
}

function presenceOf(share: Share, reads: Reads, node: Node): SharedState['presence'] {
  return {
    async put(change) {
      const { deviceId, connected, transport } = change
      const news = JSON.stringify({ is: 'presence', ...change })
      await share({
        op: 'presence',
        key: `p${deviceId}`,
        device_id: encodeText(deviceId),
        connected,
        transport,
        news,
      })
    },
    async connected() {
      const rows = await reads.run<{ nodeId: number; deviceId: string; transport: string }>(
        `SELECT node_id AS "nodeId", device_id AS "deviceId", transport FROM device_presence
         WHERE node_id <> ALL($1) AND node_id IN (SELECT living_nodes($2))`,
        [node.ids, node.silent],
      )
      return rows.map((row) => ({ ...row, deviceId: decodeText(row.deviceId) }))
    },
    async livingNodes() {
      const rows = await reads.run<{ id: number }>('SELECT living_nodes($1) AS id', [node.silent])
      return rows.map(({ id }) => id)
    },
    async seen(devices) {
      const rows = devices.map(({ deviceId, atMs }) => [encodeText(deviceId), atMs])
      await share({ op: 'seen', key: 'seen', devices: rows })
    },
    async seenSince(cursor) {
      // Rows of transactions that were still running at the previous call have a larger xid than its cursor. The cursor
      // ends with the newest row, because a crash may reuse later numbers; see read_changes().
      const rows = await reads.run<{ cursor: number; devices: [deviceId: string, atMs: number][] | null }>(
        `SELECT least(pg_snapshot_xmin(pg_current_snapshot()),
           coalesce((SELECT next_xid(xid) FROM sightings ORDER BY xid DESC LIMIT 1), '3'))::text::bigint AS cursor, (
           SELECT json_agg(json_build_array(device_id, last_ms) ORDER BY last_ms)
           FROM (SELECT * FROM sightings WHERE xid >= $1::text::xid8 ORDER BY last_ms DESC LIMIT $2) d) AS devices`,
        [String(cursor ?? 0), MAX_SEEN],
      )
      const devices = (rows[0]?.devices ?? []).map(([id, atMs]) => ({ deviceId: decodeText(id), atMs }))
      return { devices, cursor: rows[0]?.cursor ?? 0 }
    },
  }
}

function rejectionsOf(share: Share, reads: Reads): SharedState['rejections'] {
  return {
    async add(entries) {
      const rejections = entries.map(({ count, firstAtMs, atMs, ...rejection }) => {
        const { reason, transport, deviceId, clientId, address } = rejection
        return {
          key: JSON.stringify([reason, transport, deviceId, clientId, address]),
          count,
          first_at_ms: firstAtMs,
          at_ms: atMs,
          rejection: JSON.stringify(rejection),
        }
      })
      await share({ op: 'rejections', key: 'rejections', rejections })
    },
    async all(): Promise<CountedRejection[]> {
      const rows = await reads.run<Omit<CountedRejection, keyof Rejection> & { rejection: Rejection }>(
        `SELECT count, first_at_ms AS "firstAtMs", at_ms AS "atMs", rejection FROM rejections
         ORDER BY at_ms DESC, key LIMIT $1`,
        [MAX_REJECTIONS],
      )
      return rows.map(({ rejection, ...counted }) => ({ ...rejection, ...counted }))
    },
  }
}

function importsOf(share: Share, reads: Reads, node: Node): SharedState['imports'] {
  return {
    async begin(report) {
      // This process knows that it runs no import.
      const without = [...node.silent, ...node.ids]
      const text = JSON.stringify(report)
      const id = await share({ op: 'import-begun', key: 'import', id: report.id, without, report: text })
      if (id === null) throw importRunning()
      return id as number
    },
    async save(report) {
      const { id } = report
      await share({ op: 'import', key: `import ${id}`, id, report: JSON.stringify(report) })
    },
    async get(id) {
      const rows = await reads.run<{ report: ImportReport; lives: boolean }>(
        'SELECT report, node_id IN (SELECT living_nodes($2)) AS lives FROM import_reports WHERE id = $1',
        [id, node.silent],
      )
      const [row] = rows
      if (!row) return null
      const { report, lives } = row
      return { ...report, id, state: report.state === 'RUNNING' && !lives ? 'STOPPED' : report.state }
    },
  }
}
