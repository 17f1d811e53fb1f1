/** What the classes of this driver share. Types only. */
import type { StoreCounts } from '../../broker/store-metrics.ts'
import type { PostgresAudit } from './audit.ts'
import type { Connection } from './connection.ts'
import type { Node } from './node.ts'
import type { StoreEvents } from './store-events.ts'
import type { Verbs } from './verbs.ts'

export interface PostgresParts {
  readonly verbs: Verbs
  readonly events: StoreEvents
  readonly node: Node
  /** For lists and other reads of administrators, one at a time. */
  readonly reads: Connection
  readonly counts: StoreCounts
  readonly audit: PostgresAudit
}
