/**
 * Defines the conditions of the partial indexes `messages_rare` and `messages_failed`. SQLite uses such an index only
 * if a query repeats the condition. migrations.ts contains the conditions as text: a new status needs a step there that
 * creates the index again.
 */
import { FAILED_STATUSES, RARE_STATUSES, type Status } from '../../../broker/vocabulary/status.ts'

/**
 * Returns the condition of `messages_rare`. An IN list would cost more, because SQLite fills a temporary table with the
 * list for each write.
 *
 * @param column name of the status column, with the prefix that the query needs
 */
export function rareCondition(column = 'status'): string {
  return oneOf(RARE_STATUSES, column)
}

/** Returns the condition of `messages_failed`. @param column name of the status column, with the prefix that the query needs */
export function failedCondition(column: string): string {
  return oneOf(FAILED_STATUSES, column)
}

function oneOf(statuses: readonly Status[], column: string): string {
  return `(${statuses.map((status) => `${column} = '${status}'`).join(' OR ')})`
}
