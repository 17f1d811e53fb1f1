/** Derives the columns of a message in PostgreSQL from the table of its fields, and converts rows and calls. */
import {
  MESSAGE_FIELD_LIST,
  MESSAGE_FIELDS,
  type MessageRecord,
  type NewMessage,
  type StoredValue,
} from '../../../broker/vocabulary/message.ts'
import { decodeText, encodeText } from '../database/text.ts'
import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from './codes.ts'

/** Columns of a record, named by their fields. */
export const RECORD_COLUMNS = MESSAGE_FIELD_LIST.map(
  ([name]) => `m.${MESSAGE_FIELDS[name].column} AS "${name}"`,
).join(', ')

export type PostgresMessageRow = Omit<MessageRecord, 'status' | 'cause' | 'guarantee'> & {
  readonly status: number
  readonly cause: number | null
  readonly guarantee: number
}

const CODES = { status: STATUS_CODES, cause: CAUSE_CODES, guarantee: GUARANTEE_CODES } as const

interface Conversion {
  readonly sqlType: string
  readonly encode: (value: StoredValue) => StoredValue
  readonly decode: (value: StoredValue) => StoredValue | boolean
}

const AS_IT_IS: Conversion = { sqlType: 'bigint', encode: (value) => value, decode: (value) => value }
const AS_TEXT: Conversion = {
  sqlType: 'text',
  encode: (value) => encodeText(value as string | null),
  decode: (value) => decodeText(value as string | null),
}

function conversionOf(name: keyof MessageRecord): Conversion {
  if (name in CODES) {
    const codes = CODES[name as keyof typeof CODES]
    return {
      sqlType: 'smallint',
      encode: (value) => (value === null ? null : codes.of(value as never)),
      decode: (value) => (value === null ? null : codes.name(value as number)),
    }
  }
  const { type } = MESSAGE_FIELDS[name].schema
  return type === 'string' || type === 'object' ? AS_TEXT : AS_IT_IS
}

const FIELDS = MESSAGE_FIELD_LIST.map(([name, field]) => ({ name, ...field, ...conversionOf(name) }))
const SUBMITTED = FIELDS.flatMap(({ submitted, ...field }) => (submitted ? [{ ...field, submitted }] : []))

export function decodeRecord(row: PostgresMessageRow): MessageRecord {
  const values = row as unknown as Readonly<Record<string, StoredValue>>
  return Object.fromEntries(
    FIELDS.map(({ name, decode }) => [name, decode(values[name] as StoredValue)]),
  ) as unknown as MessageRecord
}

/** Members of the type `enqueue_call` for the fields that an enqueue stores. */
export const SUBMITTED_MEMBERS = SUBMITTED.map(({ column, sqlType }) => `${column} ${sqlType}`).join(', ')
/** Columns of the fields that an enqueue stores. */
export const SUBMITTED_COLUMNS = SUBMITTED.map(({ column }) => column).join(', ')
/** Values of those columns, for a call `c`. */
export const SUBMITTED_VALUES = SUBMITTED.map(({ column }) => `c.${column}`).join(', ')

/** Fields that an enqueue stores, as members of its call; declares only those that code reads. */
export interface SubmittedCall {
  readonly command: string
  readonly device_id: string
  readonly guarantee: number
  readonly tmp_id: number | null
  readonly producer_id: string | null
}

/** Returns the fields that an enqueue stores, as members of its call. */
export function submittedCall(message: NewMessage): SubmittedCall {
  return Object.fromEntries(
    SUBMITTED.map(({ column, submitted, encode }) => [column, encode(submitted(message))]),
  ) as unknown as SubmittedCall
}
