/** Services that the classes of this driver share. Types only. */
import type { StoreCounts } from '../../broker/store-metrics.ts'
import type { Duties } from '../../process/duties.ts'
import type { AdminCalls } from './admin-calls.ts'
import type { PostgresAudit } from './audit.ts'
import type { Journal } from './journal.ts'
import type { Node } from './node.ts'
import type { Reads } from './reads.ts'
import type { StoreEvents } from './store-events.ts'
import type { Verbs } from './verbs.ts'

export interface PostgresParts {
  readonly verbs: Verbs
  readonly events: StoreEvents
  readonly node: Node
  /** The changes of the other nodes. */
  readonly journal: Journal
  /** Performs lists and other reads of administrators, one at a time. */
  readonly reads: Reads
  readonly counts: StoreCounts
  readonly duties: Duties
  readonly audit: PostgresAudit
  /** Performs the changes that administrators make. */
  readonly administration: AdminCalls
}
