/** Derives the SQL columns of a message from the table of its fields. */
import {
  MESSAGE_FIELD_LIST,
  MESSAGE_FIELDS,
  type MessageRecord,
  type NewMessage,
} from '../../../broker/vocabulary/message.ts'
import type { Value } from '../database/transactions.ts'

const SUBMITTED = MESSAGE_FIELD_LIST.flatMap(([, { column, submitted }]) =>
  submitted ? [{ column, submitted }] : [],
)

/** Statement that inserts a message with the values of {@link insertedValues}. */
export const INSERT_MESSAGE = `INSERT INTO messages
  (id, created_at_ms, changed_at_ms, ${SUBMITTED.map(({ column }) => column).join(', ')})
  VALUES (?, ?, ?, ${SUBMITTED.map(() => '?').join(', ')})`

/** Returns the values of a new message for {@link INSERT_MESSAGE}. */
export function insertedValues(id: number, atMs: number, message: NewMessage): Value[] {
  const values: Value[] = [id, atMs, atMs]
  for (const { submitted } of SUBMITTED) values.push(submitted(message))
  return values
}

/** Returns a list of columns, named by their fields. @param from prefix of the columns, such as `m.` */
export function selected(names: readonly (keyof MessageRecord)[], from = ''): string {
  return names.map((name) => `${from}${MESSAGE_FIELDS[name].column} AS ${name}`).join(', ')
}

export const ALL_FIELDS = MESSAGE_FIELD_LIST.map(([name]) => name)

/** Record as SQLite returns it. */
export type SqliteMessageRow = Omit<MessageRecord, 'deliveredError'> & { readonly deliveredError: 0 | 1 }

export function recordOfRow(row: SqliteMessageRow): MessageRecord {
  return { ...row, deliveredError: row.deliveredError === 1 }
}
