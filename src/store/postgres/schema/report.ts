/** Derives the parts of statements with the report of a device from the table of its texts, and converts its texts. */
import type { Report } from '../../../broker/vocabulary/message.ts'
import { REPORT_TEXT_LIST, type ReportTexts, reportTexts } from '../../../broker/vocabulary/report-table.ts'
import { decodeText, encodeText } from '../database/text.ts'

/** Members of the type `device_report` for the texts. */
export const TEXT_MEMBERS = REPORT_TEXT_LIST.map(({ column }) => `${column} text`).join(', ')

/** Columns of the texts, of a row with a name. */
export function textColumns(row: string): string {
  return REPORT_TEXT_LIST.map(({ column }) => `${row}.${column}`).join(', ')
}

/** Texts of a message `m`, named as in the table. */
export const NAMED_TEXTS = REPORT_TEXT_LIST.map(({ name, column }) => `m.${column} AS "${name}"`).join(', ')

/** Assignments that store the texts of a move `v` in a message `m`. A text that is not reported keeps its value. */
export const STORED_TEXTS = REPORT_TEXT_LIST.map(
  ({ column }) => `${column} = coalesce((v.report).${column}, m.${column})`,
).join(', ')

/** Arguments of `json_build_object` for the texts in the details of a change. @param valueIn SQL value of a column */
export function detailTexts(valueIn: (column: string) => string): string {
  return REPORT_TEXT_LIST.map(({ name, column }) => `'${name}', ${valueIn(column)}`).join(', ')
}

/** Report as a value of `device_report`. */
export type ReportCall = Readonly<Record<string, string | boolean | null>>

export function reportCall({ result, resultDropped, ...texts }: Report): ReportCall {
  const columns = REPORT_TEXT_LIST.map(({ name, column }) => [column, encodeText(texts[name])])
  return { ...Object.fromEntries(columns), result: encodeText(result), result_dropped: resultDropped }
}

export function decodeTexts(texts: ReportTexts): ReportTexts {
  return reportTexts((name) => decodeText(texts[name]))
}
