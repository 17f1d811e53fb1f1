/** Defines the storage of import reports, by which every node of one installation shows them. Knows no SQL. */
import type { ImportReport } from './import-report.ts'

/** Maximum stored reports. Without a store they are in memory, so a restart loses them. */
export const MAX_REPORTS = 20

export interface ImportStore {
  /**
   * Stores the report of a new import of this node, and returns its id: its own, or the next free id.
   *
   * @throws {AccountError} import-running, when another live node has not finished its import
   */
  begin(report: ImportReport): Promise<number>
  save(report: ImportReport): Promise<void>
  /** Returns a report; null for an unknown id. The report is STOPPED if its node ended during the import. */
  get(id: number): Promise<ImportReport | null>
}
