/** Lists the metrics of the server, except process metrics. docs/operate.md derives from this table. */

import type { MaybePromise } from '../broker/contract/store.ts'
import type { Durations } from '../broker/vocabulary/durations.ts'
import { CAUSES, STATUSES, TRANSITIONS } from '../broker/vocabulary/status.ts'
import type { MetricSources } from './sources.ts'

/** Value with the values of its labels, in the order of the table. */
export type Sample<Value = number> = readonly [value: Value, ...labels: string[]]

interface Row {
  readonly name: string
  /** Meaning, for `# HELP` and the docs. */
  readonly help: string
  readonly labels: readonly string[]
}

export interface NumberMetric extends Row {
  readonly type: 'counter' | 'gauge'
  /** Reads the current values. Counts nothing. */
  readonly read: (sources: MetricSources) => MaybePromise<readonly Sample[]>
}

export interface HistogramMetric extends Row {
  readonly type: 'histogram'
  readonly read: (sources: MetricSources) => readonly Sample<Durations>[]
}

export type Metric = NumberMetric | HistogramMetric

/** Name of REST, in the list of transports. */
const REST = 'REST'

const BY_TRANSPORT = ['transport']
const BY_REQUEST = ['method', 'route', 'status']

/** The table. A new metric is a row here, and a counter where its event happens. */
export const METRICS: readonly Metric[] = [
  {
    name: 'waybill_info',
    type: 'gauge',
    help: 'Version and HTTP adapter of the server. Always 1.',
    labels: ['version', 'adapter'],
    read: ({ version, adapter }) => [[1, version, adapter]],
  },
  {
    name: 'waybill_messages_stored_total',
    type: 'counter',
    help: 'Messages stored.',
    labels: [],
    read: ({ changes }) => [[changes.of('NOT_DELIVERED', 'STORED')]],
  },
  {
    name: 'waybill_status_total',
    type: 'counter',
    help: 'Changes of the status of a message, by the new status and its cause.',
    labels: ['status', 'cause'],
    read: ({ changes }) =>
      STATUSES.flatMap((status) =>
        CAUSES.filter((cause) => isPossible(status, cause)).map(
          (cause): Sample => [changes.of(status, cause), status, cause],
        ),
      ),
  },
  {
    name: 'waybill_attempts_total',
    type: 'counter',
    help: 'Attempts that ended, by transport and outcome.',
    labels: ['transport', 'outcome'],
    read: ({ storeMetrics }) =>
      [...storeMetrics.counts.attempts].flatMap(([transport, ends]) =>
        [...ends.entries()].map(([outcome, count]): Sample => [count, transport, outcome]),
      ),
  },
  {
    name: 'waybill_waiting',
    type: 'gauge',
    help: 'Pending messages, delayed ones too.',
    labels: [],
    read: async ({ store }) => [[await store.pending()]],
  },
  {
    name: 'waybill_parked',
    type: 'gauge',
    help: 'Messages that are parked.',
    labels: [],
    read: ({ parked }) => [[parked.count]],
  },
  {
    name: 'waybill_delayed',
    type: 'gauge',
    help: 'Pending messages whose delay is not over.',
    labels: [],
    read: async ({ storeMetrics }) => [[await storeMetrics.delayed()]],
  },
  {
    name: 'waybill_oldest_waiting_seconds',
    type: 'gauge',
    help: 'Age of the oldest pending message; 0 when none is pending.',
    labels: [],
    read: async ({ store, now }) => {
      const [oldest] = await store.oldest(1)
      return [[oldest ? Math.max(0, now() - oldest.atMs) / 1_000 : 0]]
    },
  },
  {
    name: 'waybill_delivery_seconds',
    type: 'histogram',
    help: 'Time from storing a message to DELIVERED, or to the final status that the device reported instead.',
    labels: [],
    read: ({ storeMetrics }) => [[storeMetrics.counts.deliveries]],
  },
  {
    name: 'waybill_completion_seconds',
    type: 'histogram',
    help: 'Time from storing a message to a final status.',
    labels: [],
    read: ({ storeMetrics }) => [[storeMetrics.counts.completions]],
  },
  {
    name: 'waybill_devices',
    type: 'gauge',
    help: 'Connected devices, by the transport of the newest connection of each.',
    labels: BY_TRANSPORT,
    read: ({ transports, presence }) => byTransport([...transports, REST], presence.byTransport()),
  },
  {
    name: 'waybill_connections',
    type: 'gauge',
    help: 'Open connections of devices and producers, without those of HTTP.',
    labels: BY_TRANSPORT,
    read: ({ transports, connections }) => byTransport(transports, connections.byTransport()),
  },
  {
    name: 'waybill_node_links',
    type: 'gauge',
    help: 'Other nodes from which this one receives messages on topics of clients; 0 without other nodes, or without a subscription.',
    labels: [],
    read: ({ traffic }) => [[traffic.links]],
  },
  {
    name: 'waybill_node_messages_total',
    type: 'counter',
    help: 'Messages on topics of clients between nodes: sent, received, or dropped since the other node read too slowly.',
    labels: ['outcome'],
    read: ({ traffic: { sent, received, dropped } }) => [
      [sent, 'sent'],
      [received, 'received'],
      [dropped, 'dropped'],
    ],
  },
  {
    name: 'waybill_waits',
    type: 'gauge',
    help: 'Requests that wait for a message or a status.',
    labels: BY_TRANSPORT,
    read: ({ waits }) => [[waits.count, REST]],
  },
  {
    name: 'waybill_busy_devices',
    type: 'gauge',
    help: 'Devices that asked for a pause, by the transport of the newest connection; none for those without one.',
    labels: BY_TRANSPORT,
    read: ({ transports, pauses, presence }) => {
      const counts = new Map<string, number>()
      for (const deviceId of pauses.busyDevices()) {
        const transport = presence.of(deviceId).transport ?? 'none'
        counts.set(transport, (counts.get(transport) ?? 0) + 1)
      }
      return byTransport([...transports, REST, 'none'], counts)
    },
  },
  {
    name: 'waybill_devices_out_of_service',
    type: 'gauge',
    help: 'Devices that a person took out of service.',
    labels: [],
    read: ({ pauses }) => [[pauses.devicesOutOfService().length]],
  },
  {
    name: 'waybill_refused_total',
    type: 'counter',
    help: 'Refused requests, messages, logins and connections, by the code of the error, or by the reason.',
    labels: ['reason'],
    read: ({ rejections }) =>
      [...rejections.counts.entries()].map(([reason, count]): Sample => [count, reason]),
  },
  {
    name: 'waybill_incidents',
    type: 'gauge',
    help: 'Incidents that have not ended, by kind and state.',
    labels: ['kind', 'state'],
    read: async ({ incidents }) =>
      (await incidents.counts()).map(({ kind, state, count }): Sample => [count, kind, state]),
  },
  {
    name: 'waybill_incident_read_seconds',
    type: 'histogram',
    help: 'Time to read the signals and to record the incidents. No value on a node that does not record.',
    labels: [],
    read: ({ incidentReads }) => [[incidentReads]],
  },
  {
    name: 'waybill_http_requests_total',
    type: 'counter',
    help: 'HTTP requests that were answered.',
    labels: BY_REQUEST,
    read: ({ http }) =>
      http.cells().map(({ exchanges, method, route, status }): Sample => [exchanges, method, route, status]),
  },
  {
    name: 'waybill_http_request_seconds',
    type: 'histogram',
    help: 'Time from the head of an HTTP request to its answer, without requests that wait.',
    labels: BY_REQUEST,
    read: ({ http }) =>
      http
        .cells()
        .map(({ durations, method, route, status }): Sample<Durations> => [durations, method, route, status]),
  },
  {
    name: 'waybill_commit_seconds',
    type: 'histogram',
    help: 'Time that a commit of writes blocked the event loop. No value over PostgreSQL.',
    labels: [],
    read: ({ storeMetrics }) => [[storeMetrics.counts.commits]],
  },
  {
    name: 'waybill_sync_seconds',
    type: 'histogram',
    help: 'Time that the disk, or PostgreSQL, needed to make a commit durable.',
    labels: [],
    read: ({ storeMetrics }) => [[storeMetrics.counts.syncs]],
  },
  {
    name: 'waybill_database_bytes',
    type: 'gauge',
    help: 'Size of the database with its write-ahead log.',
    labels: [],
    read: async ({ store }) => {
      const { database, log } = await store.space()
      return [[database + log]]
    },
  },
  {
    name: 'waybill_disk_free_bytes',
    type: 'gauge',
    help: 'Free bytes on the disk of the data directory. No value over PostgreSQL.',
    labels: [],
    read: async ({ store }) => {
      const { free } = await store.space()
      return free === null ? [] : [[free]]
    },
  },
  {
    name: 'waybill_standby_missing',
    type: 'gauge',
    help: 'Whether the synchronous standby that PostgreSQL promises is missing, so that nothing is stored: 0 or 1. No value without such a promise.',
    labels: [],
    read: async ({ storeMetrics }) => {
      const isMissing = await storeMetrics.standbyMissing()
      return isMissing === null ? [] : [[Number(isMissing)]]
    },
  },
]

/**
 * Returns whether a change can occur. Each possible change has a series from the start, so that its first increase is
 * visible.
 */
function isPossible(status: string, cause: string): boolean {
  const isStored = status === 'NOT_DELIVERED' && cause === 'STORED'
  return isStored || Object.values(TRANSITIONS).some((each) => each.to === status && each.cause === cause)
}

function byTransport(names: readonly string[], counts: ReadonlyMap<string, number>): Sample[] {
  return names.map((name) => [counts.get(name) ?? 0, name])
}
