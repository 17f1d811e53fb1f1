/** Lists the parts of the server that metrics are read from. Types only. */

import type { IncidentStore } from '../broker/contract/incident-store.ts'
import type { StoreMetrics } from '../broker/contract/store-metrics.ts'
import type { StoreStats } from '../broker/contract/store-stats.ts'
import type { DispatchPauses } from '../broker/engine/dispatch-pauses.ts'
import type { ParkedMessages } from '../broker/engine/parked-messages.ts'
import type { WaitLimit } from '../broker/engine/waits.ts'
import type { Presence } from '../broker/views/presence.ts'
import type { RejectionLog } from '../broker/views/rejection-log.ts'
import type { ChangeCounts } from '../broker/vocabulary/change-counts.ts'
import type { Durations } from '../broker/vocabulary/durations.ts'
import type { ConnectionRegistry } from '../transport/connections.ts'
import type { NodeTraffic } from '../transport/node-traffic.ts'
import type { HttpMetrics } from './http-metrics.ts'

export interface MetricSources {
  readonly version: string
  readonly adapter: string
  readonly transports: readonly string[]
  readonly changes: ChangeCounts
  readonly parked: ParkedMessages
  readonly store: StoreStats
  readonly storeMetrics: StoreMetrics
  readonly presence: Presence
  readonly connections: ConnectionRegistry
  readonly traffic: NodeTraffic
  readonly waits: WaitLimit
  readonly pauses: DispatchPauses
  readonly rejections: RejectionLog
  readonly incidents: IncidentStore
  readonly incidentReads: Durations
  readonly http: HttpMetrics
  readonly now: () => number
}
