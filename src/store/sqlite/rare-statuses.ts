/**
 * Defines the condition of the partial index `messages_rare`. SQLite uses the index only if a query repeats the condition.
 * migrations.ts has the condition written out: a new rare status needs a step there that creates the index again.
 */
import { RARE_STATUSES } from '../../broker/status.ts'

/**
 * Returns the condition. An IN list would cost more, since SQLite fills a temporary table with the list for each write.
 *
 * @param column name of the status column, with the prefix that the query needs
 */
export function rareCondition(column = 'status'): string {
  return `(${RARE_STATUSES.map((status) => `${column} = '${status}'`).join(' OR ')})`
}
