/** The columns of a message in SQL, from the table of its fields. */
import {
  MESSAGE_FIELD_LIST,
  MESSAGE_FIELDS,
  type MessageRecord,
  type NewMessage,
  type StoredValue,
} from '../../broker/message.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'

const SUBMITTED = MESSAGE_FIELD_LIST.flatMap(([, { column, submitted }]) =>
  submitted ? [{ column, submitted }] : [],
)

/** Inserts a message. {@link insertion} gives the values. */
export const INSERT_MESSAGE = `INSERT INTO messages
  (id, created_at_ms, changed_at_ms, ${SUBMITTED.map(({ column }) => column).join(', ')})
  VALUES (?, ?, ?, ${SUBMITTED.map(() => '?').join(', ')})`

/** Returns a run of {@link INSERT_MESSAGE}. */
export function insertion(insert: WriteStatement, id: number, atMs: number, message: NewMessage): WriteOp {
  const op: [WriteStatement, ...StoredValue[]] = [insert, id, atMs, atMs]
  for (const { submitted } of SUBMITTED) op.push(submitted(message))
  return op
}

/** Returns a list of columns under the names of their fields. @param from prefix of a table, such as `m.` */
export function selected(names: readonly (keyof MessageRecord)[], from = ''): string {
  return names.map((name) => `${from}${MESSAGE_FIELDS[name].column} AS ${name}`).join(', ')
}

export const ALL_FIELDS = MESSAGE_FIELD_LIST.map(([name]) => name)
