/** Services that the classes of this driver share. Types only. */
import type { StoreCounts } from '../../broker/contract/store-metrics.ts'
import type { Duties } from '../../process/duties.ts'
import type { Verbs } from './database/verbs.ts'
import type { StoreEvents } from './messages/store-events.ts'
import type { Journal } from './nodes/journal.ts'
import type { Node } from './nodes/node.ts'
import type { AdminCalls } from './records/admin-calls.ts'
import type { PostgresAudit } from './records/audit.ts'
import type { Reads } from './views/reads.ts'

export interface PostgresParts {
  readonly verbs: Verbs
  readonly events: StoreEvents
  readonly node: Node
  /** Changes by other nodes. */
  readonly journal: Journal
  /** Performs lists and other reads of administrators, one at a time. */
  readonly reads: Reads
  readonly counts: StoreCounts
  readonly duties: Duties
  readonly audit: PostgresAudit
  readonly administration: AdminCalls
}
