/** Derives the SQL columns with the links of a message, the same for SQLite and PostgreSQL. */
import { LINK_LIST } from '../broker/vocabulary/link-table.ts'

/** Links of a message `m`, named as in the extras. */
export const LINK_COLUMNS = LINK_LIST.map(
  ({
    name,
    reverse,
    table,
  }) => `(SELECT l.message_id FROM ${table} l WHERE l.new_message_id = m.id) AS "${name}",
    (SELECT max(l.new_message_id) FROM ${table} l WHERE l.message_id = m.id) AS "${reverse}"`,
).join(', ')
