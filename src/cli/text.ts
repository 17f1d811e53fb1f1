/** Prepares texts for a terminal: colours, and texts of others without their control characters. */
import { styleText } from 'node:util'
import { type DeliveryStatus, STATUS_KINDS, type StatusKind } from '../client/index.ts'

/** The terminal that shows the output. */
export interface Terminal {
  readonly columns: number
  /** False when NO_COLOR is set, or the terminal has no colours. */
  readonly colors: boolean
}

export type Style = Parameters<typeof styleText>[0]

/** Text of one cell or line, with the style that a terminal with colours shows. */
export interface Styled {
  readonly text: string
  readonly style: Style
}

/** Returns a text in a style, if the terminal has colours. */
export function styled(text: string, style: Style, terminal: Terminal | undefined): string {
  return terminal?.colors ? styleText(style, text, { validateStream: false }) : text
}

/**
 * Returns a text with its control characters escaped, as in JSON. Device ids, commands and reasons come from other
 * people, whose escape sequences must not reach the terminal of an admin.
 */
export function printable(text: string): string {
  return text.replace(
    // Besides control characters: line separators, and marks that change the direction of the text.
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (control) => `\\u${(control.codePointAt(0) as number).toString(16).padStart(4, '0')}`,
  )
}

const KIND_STYLES = {
  pending: 'yellow',
  delivered: 'cyan',
  succeeded: 'green',
  failed: 'red',
  withdrawn: 'gray',
  unclear: 'magenta',
} as const satisfies Record<StatusKind, Style>

/** Returns a status in the colour of its kind. */
export function statusText(status: DeliveryStatus): Styled {
  return { text: status, style: KIND_STYLES[STATUS_KINDS[status]] }
}
