/** Finds messages of PostgreSQL by the time at which they were stored. Ids grow with time. */
import type { MessageFilter } from '../../../broker/contract/message-log.ts'
import type { Reads } from './reads.ts'

/** Returns the range of ids that contains all messages of a filter. */
export async function idRangeOf(
  reads: Reads,
  { fromMs, toMs, before }: Pick<MessageFilter, 'fromMs' | 'toMs' | 'before'>,
): Promise<{ from: number; below: number }> {
  const [row] = await reads.run<{ from: number; below: number }>(
    `SELECT CASE WHEN $1::bigint IS NULL THEN 1 ELSE first_since($1, e.id) END AS from,
       least($3::bigint, CASE WHEN $2::bigint IS NULL THEN e.id ELSE first_since($2, e.id) END) AS below
     FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM messages) e`,
    [fromMs ?? null, toMs ?? null, before ?? null],
  )
  return row ?? { from: 1, below: 1 }
}

/** Returns the time at which the first message from an id on was stored; null without one. */
export async function storedAtOrBehind(reads: Reads, id: number): Promise<number | null> {
  const [row] = await reads.run<{ at: number }>(
    'SELECT created_at_ms AS at FROM messages WHERE id >= $1 ORDER BY id LIMIT 1',
    [id],
  )
  return row?.at ?? null
}
