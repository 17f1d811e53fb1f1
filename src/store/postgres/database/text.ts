/**
 * Converts text for PostgreSQL, whose `text` holds neither U+0000 nor half of a surrogate pair. U+0000 becomes U+F8FF `0`,
 * and U+F8FF becomes U+F8FF `1`. Half of a pair becomes U+FFFD, as in UTF-8 on the wire.
 */

const SPECIAL = /[\0\uf8ff]/g
const ESCAPED = /\uf8ff([01])/g

export function encodeText(text: string): string
export function encodeText(text: string | null): string | null
export function encodeText(text: string | null): string | null {
  if (text === null) return null
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.replace(SPECIAL, (char) => (char === '\0' ? '\uf8ff0' : '\uf8ff1'))
}

export function decodeText(text: string): string
export function decodeText(text: string | null): string | null
export function decodeText(text: string | null): string | null {
  if (text === null) return null
  return text.replace(ESCAPED, (_, digit: string) => (digit === '0' ? '\0' : '\uf8ff'))
}
