/** Combines the contracts that a storage driver implements. The `open` function of a driver returns them. */
import type { AuditStore } from '../audit/audit.ts'
import type { KeyStore } from '../auth/api-keys.ts'
import type { ClientStore } from '../auth/clients.ts'
import type { AlertAckStore } from '../broker/contract/alert-acks.ts'
import type { DeviceNoteStore } from '../broker/contract/device-notes.ts'
import type { DeviceStore } from '../broker/contract/device-store.ts'
import type { HandoverStore } from '../broker/contract/handover-store.ts'
import type { IncidentStore } from '../broker/contract/incident-store.ts'
import type { MessageLog } from '../broker/contract/message-log.ts'
import type { MessageSearches } from '../broker/contract/message-search.ts'
import type { PresenceStore } from '../broker/contract/presence-store.ts'
import type { StatisticsStore } from '../broker/contract/statistics-store.ts'
import type { MessageStore } from '../broker/contract/store.ts'
import type { StoreMetrics } from '../broker/contract/store-metrics.ts'
import type { Backups, StoreStats } from '../broker/contract/store-stats.ts'
import type { TemplateStore } from '../broker/engine/templates.ts'
import type { SharedState } from './shared-state.ts'
import type { SharedValues } from './shared-values.ts'

export interface Storage {
  readonly messages: MessageStore
  readonly messageLog: MessageLog
  readonly searches: MessageSearches
  readonly handover: HandoverStore
  readonly clients: ClientStore
  readonly keys: KeyStore
  readonly audit: AuditStore
  readonly devices: DeviceStore
  readonly notes: DeviceNoteStore
  readonly templates: TemplateStore
  readonly alertAcks: AlertAckStore
  readonly incidents: IncidentStore
  readonly stats: StoreStats
  readonly statistics: StatisticsStore
  readonly presence: PresenceStore
  readonly metrics: StoreMetrics
  readonly backups: Backups
  /** State that several nodes share. A storage for one node has none. */
  readonly nodes?: SharedState
  /** Values that all nodes share; undefined if one process owns the storage. */
  readonly shared?: SharedValues
  /** Returns false while a shared database does not answer this process; undefined for a storage in the process. */
  readonly ready?: () => boolean
  /**
   * Starts shutdown. From now on a call fails after one second without an answer, so an unreachable database cannot
   * delay the exit. Undefined for a storage in the process.
   */
  readonly beginShutdown?: () => void
  /** Returns the error that ends a start, for an error of the storage; undefined for a storage in the process. */
  readonly startProblem?: (error: unknown) => unknown
  /** Commits the pending writes, then closes the storage. */
  close(): Promise<void>
}
