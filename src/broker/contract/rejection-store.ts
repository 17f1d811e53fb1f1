/** The contract by which rejections outlive the memory of a process: the nodes add theirs, and read those of all. Knows no SQL. */
import type { CountedRejection } from '../views/rejection-log.ts'

export interface RejectionStore {
  /** Adds the counts of rejections to the stored ones of the same peer and reason. */
  add(rejections: readonly CountedRejection[]): Promise<void>
  /** Returns the latest rejections of all nodes, newest first. */
  all(): Promise<readonly CountedRejection[]>
}
