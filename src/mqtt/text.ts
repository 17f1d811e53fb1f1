/** Checks that the texts of a packet are well-formed. Knows no packets. */
import { isUtf8 } from 'node:buffer'

/**
 * Returns whether bytes are well-formed UTF-8 [MQTT-1.5.3-1] without U+0000 [MQTT-1.5.3-2] and without the control
 * characters and non-characters that section 1.5.3 advises against.
 */
export function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x80) {
      const part = bytes.subarray(start, end)
      return isUtf8(part) && !UNWANTED.test(part.toString())
    }
    if (byte < 0x20 || byte === 0x7f) return false
  }
  return true
}

/**
 * Checks texts that the library has decoded. In such a text ill-formed UTF-8 has become U+FFFD, so the text does not
 * occur in `bytes`.
 */
export function arePlain(texts: readonly (string | undefined)[], bytes: Buffer): boolean {
  return texts.every((text = '') => {
    if (UNWANTED.test(text)) return false
    return !text.includes('\uFFFD') || bytes.includes(text)
  })
}

/** Shortens a text to one line for a reason string. */
export function asReason(text: string): string {
  return text.slice(0, MAX_REASON_LENGTH).toWellFormed().replace(new RegExp(UNWANTED, 'gu'), ' ')
}

const MAX_REASON_LENGTH = 500
const UNWANTED = /[\p{Cc}\p{Noncharacter_Code_Point}]/u
