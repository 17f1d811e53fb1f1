/**
 * Describes the texts of a device's report once. A device sends them with an acknowledgement, beside its result. The
 * schema of the acknowledgement, the statements of the stores, the answers with details, and the options of the client
 * derive from this table. The client and the command line read this file too, so it imports nothing. docs:
 * CONTRIBUTING.md, "Adding a text to the report of a device".
 */

/** Texts of a report. Null was not reported. */
export interface ReportTexts {
  /** Reason for the status, in prose. */
  readonly reason: string | null
}

export type ReportTextName = keyof ReportTexts

interface ReportText {
  /** Maximum characters. The server cuts a longer text. */
  readonly maximum: number
  readonly description: string
  readonly example: string
  readonly column: string
}

export const REPORT_TEXTS = {
  reason: { maximum: 500, description: 'the reason in words', example: 'valve stuck', column: 'reason' },
} as const satisfies Record<ReportTextName, ReportText>

export const REPORT_TEXT_NAMES = Object.keys(REPORT_TEXTS) as readonly ReportTextName[]

export const REPORT_TEXT_LIST = REPORT_TEXT_NAMES.map((name) => ({ name, ...REPORT_TEXTS[name] }))

/** Texts of a device that reported none. */
export const NO_REPORT_TEXTS: ReportTexts = reportTexts(() => null)

/** Returns texts with the values that a function reads. */
export function reportTexts(read: (name: ReportTextName) => string | null): ReportTexts {
  const texts = {} as Record<ReportTextName, string | null>
  for (const name of REPORT_TEXT_NAMES) texts[name] = read(name)
  return texts
}

/** Returns the texts among the members of an object. */
export function reportTextsOf(members: ReportTexts): ReportTexts {
  return reportTexts((name) => members[name])
}

export function hasReportText(texts: ReportTexts): boolean {
  return REPORT_TEXT_NAMES.some((name) => texts[name] !== null)
}
