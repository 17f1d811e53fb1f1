/** Prepares texts for a terminal: colours, and escaped control characters in foreign texts. */
import { styleText } from 'node:util'
import { type DeliveryStatus, STATUS_KINDS, type StatusKind } from '../client/index.ts'

export interface Terminal {
  readonly columns: number
  /** False when NO_COLOR is set, or the terminal has no colours. */
  readonly colors: boolean
}

export type Style = Parameters<typeof styleText>[0]

/** Text of a cell or line, with its style on a terminal with colours. */
export interface Styled {
  readonly text: string
  readonly style: Style
}

/** Returns a styled text, if the terminal has colours. */
export function styled(text: string, style: Style, terminal: Terminal | undefined): string {
  return terminal?.colors ? styleText(style, text, { validateStream: false }) : text
}

/**
 * Escapes the control characters of a text, as in JSON. Device ids, commands and reasons come from other people, whose
 * escape sequences must not reach the terminal of an admin.
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
