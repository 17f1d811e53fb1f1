/**
 * Combines the contracts for state that the nodes of one installation share, other than messages and clients. Types
 * only.
 */
import type { ImportStore } from '../auth/import-store.ts'
import type { Cluster } from '../broker/contract/cluster.ts'
import type { PresenceDirectory } from '../broker/contract/presence-directory.ts'
import type { RejectionStore } from '../broker/contract/rejection-store.ts'
import type { ConnectionDirectory } from '../transport/connection-directory.ts'
import type { NodeDirectory, RetainedDirectory } from '../transport/node-directory.ts'
import type { SessionDirectory } from '../transport/session-directory.ts'

export interface SharedState {
  readonly cluster: Cluster
  readonly sessions: SessionDirectory
  readonly connections: ConnectionDirectory
  readonly presence: PresenceDirectory
  readonly rejections: RejectionStore
  readonly imports: ImportStore
  readonly listeners: NodeDirectory
  readonly retained: RetainedDirectory
}
