/** Contract by which rejections survive the process: nodes add their own, and read all. Knows no SQL. */
import type { CountedRejection } from '../views/rejection-log.ts'

export interface RejectionStore {
  /** Adds the counts of rejections to the stored counts of the same peer and reason. */
  add(rejections: readonly CountedRejection[]): Promise<void>
  /** Returns the latest rejections of all nodes, newest first. */
  all(): Promise<readonly CountedRejection[]>
}
