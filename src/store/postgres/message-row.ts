/** Converts the rows of messages to records. */
import { MESSAGE_FIELD_LIST, MESSAGE_FIELDS, type MessageRecord } from '../../broker/message.ts'
import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from './codes.ts'
import { decodeText } from './text.ts'

/** The columns of a record with the names of its fields. */
export const RECORD_COLUMNS = MESSAGE_FIELD_LIST.map(
  ([name]) => `m.${MESSAGE_FIELDS[name].column} AS "${name}"`,
).join(', ')

export type PostgresMessageRow = Omit<MessageRecord, 'status' | 'cause' | 'guarantee'> & {
  readonly status: number
  readonly cause: number | null
  readonly guarantee: number
}

export function decodeRecord({ status, cause, guarantee, ...row }: PostgresMessageRow): MessageRecord {
  return {
    ...row,
    deviceId: decodeText(row.deviceId),
    command: decodeText(row.command),
    data: decodeText(row.data),
    producerId: decodeText(row.producerId),
    senderId: decodeText(row.senderId),
    deliveredBy: decodeText(row.deliveredBy),
    changedBy: decodeText(row.changedBy),
    status: STATUS_CODES.name(status),
    cause: cause === null ? null : CAUSE_CODES.name(cause),
    guarantee: GUARANTEE_CODES.name(guarantee),
  }
}
