/** Formats the messages that devices and producers receive. Concatenates text, so that raw JSON stays unchanged. */
import type { DispatchedMessage } from '../broker/vocabulary/message.ts'
import { REPORT_TEXT_NAMES, type ReportTexts } from '../broker/vocabulary/report-table.ts'
import type { Cause, Status } from '../broker/vocabulary/status.ts'

export interface MessageResult {
  readonly id: number
  readonly tmpId: number | null
  readonly deliveryStatus: Status
  /** Details, for a producer that asked for them. */
  readonly details?: ResultDetails
}

/** Members of a result that only a producer with details receives. */
export interface ResultDetails extends ReportTexts {
  readonly cause: Cause
  /** JSON as the device wrote it. */
  readonly result: string | null
  readonly attempts: number
  /** Time of the change, in milliseconds since 1970. */
  readonly date: number
}

/**
 * Returns the JSON of a result. Concatenates text, because parsing and printing the device's `result` could change it.
 */
export function resultMessage({ id, tmpId, deliveryStatus, details }: MessageResult): string {
  const plain = `{"id":${id},"tmpId":${tmpId},"deliveryStatus":"${deliveryStatus}"`
  return details === undefined ? `${plain}}` : `${plain},${detailMembers(details)}}`
}

/** Returns the JSON members of the details. */
export function detailMembers(details: ResultDetails): string {
  const { cause, result, attempts, date } = details
  const texts = REPORT_TEXT_NAMES.map((name) => `"${name}":${JSON.stringify(details[name])}`).join(',')
  return `"cause":"${cause}",${texts},"result":${result},"attempts":${attempts},"date":${date}`
}

/**
 * Returns the JSON of a message for its device. Concatenates text, because parsing and printing `data` could change its
 * numbers and the order of its members.
 *
 * @param details true adds the attempt, the remaining validity and the finish time
 */
export function deliveredMessage(message: DispatchedMessage, details = false): string {
  const { id, command, guarantee, data, atMs } = message
  const name = JSON.stringify(command)
  const more = details ? deliveryDetails(message) : ''
  return `{"id":${id},"currentTimestamp":${atMs},"command":${name},"believerGuarantee":"${guarantee}","data":${data}${more}}`
}

function deliveryDetails({ number, remainingMs, finishSeconds }: DispatchedMessage): string {
  const remainingSeconds = remainingMs === null ? null : Math.ceil(remainingMs / 1000)
  return `,"attempt":${number},"remainingSeconds":${remainingSeconds},"finishSeconds":${finishSeconds}`
}
