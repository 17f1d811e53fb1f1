/** The contract by which every node of one installation shows the report of an import. Knows no SQL. */
import type { ImportReport } from './import-report.ts'

/** Maximum reports that are kept. Without a store they are in memory, so a restart forgets them. */
export const MAX_REPORTS = 20

export interface ImportStore {
  /**
   * Stores the report of a new import of this node, and returns its id: that of the report, or the next free one.
   *
   * @throws {AccountError} import-running, when another node that lives has not ended its import
   */
  begin(report: ImportReport): Promise<number>
  /** Replaces a report. */
  save(report: ImportReport): Promise<void>
  /** Returns a report, which is STOPPED when its node ended during the import; null when no report has the id. */
  get(id: number): Promise<ImportReport | null>
}
