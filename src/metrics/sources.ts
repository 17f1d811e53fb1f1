/** Lists the parts of the server that metrics are read from. Types only. */
import type { BusyDevices } from '../broker/busy-devices.ts'
import type { ChangeCounts } from '../broker/change-counts.ts'
import type { ParkedMessages } from '../broker/parked-messages.ts'
import type { Presence } from '../broker/presence.ts'
import type { RejectionLog } from '../broker/rejection-log.ts'
import type { StoreMetrics } from '../broker/store-metrics.ts'
import type { StoreStats } from '../broker/store-stats.ts'
import type { WaitLimit } from '../broker/waits.ts'
import type { ConnectionRegistry } from '../transport/connections.ts'
import type { NodeTraffic } from '../transport/node-traffic.ts'
import type { HttpMetrics } from './http-metrics.ts'

export interface MetricSources {
  readonly version: string
  readonly adapter: string
  /** Names of the transports, without REST. */
  readonly transports: readonly string[]
  readonly changes: Pick<ChangeCounts, 'of'>
  readonly parked: Pick<ParkedMessages, 'count'>
  readonly store: Pick<StoreStats, 'pending' | 'oldest' | 'space'>
  readonly storeMetrics: StoreMetrics
  readonly presence: Pick<Presence, 'byTransport' | 'of'>
  readonly connections: Pick<ConnectionRegistry, 'byTransport'>
  readonly traffic: NodeTraffic
  readonly waits: Pick<WaitLimit, 'count'>
  readonly busy: Pick<BusyDevices, 'devices'>
  readonly rejections: Pick<RejectionLog, 'counts'>
  readonly http: Pick<HttpMetrics, 'cells'>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}
