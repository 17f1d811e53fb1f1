/**
 * Finds the position at which a text becomes invalid JSON. JSON.parse of Node 20 reports a position for some errors
 * only.
 */

/** Matches white space followed by a punctuator, a string, a number or a literal. */
const TOKEN = /[ \t\r\n]*([{}[\],:]|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[^\s{}[\],:"]+)/y

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Kind of the expected next token. `or end` allows a list or an object that was just opened to close. */
type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma'

/** Returns the index of the first invalid token; the length of the text if it ends too early. */
export function jsonErrorAt(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let end = 0
  for (;;) {
    TOKEN.lastIndex = end
    const found = TOKEN.exec(text)
    const token = found?.[1]
    if (token === undefined) return end + (/^[ \t\r\n]*/.exec(text.slice(end)) as RegExpExecArray)[0].length
    const next = after(token, expected, open)
    if (next === null) return TOKEN.lastIndex - token.length
    expected = next
    end = TOKEN.lastIndex
  }
}

/** Returns the kind expected after a token; null for an invalid token. Opens and closes lists and objects in `open`. */
function after(token: string, expected: Expected, open: string[]): Expected | null {
  const closing = open.at(-1)
  if (token === closing && (expected === 'comma' || expected.endsWith('or end'))) {
    open.pop()
    return 'comma'
  }
  if (expected === 'comma') return token !== ',' || closing === undefined ? null : nextItem(closing)
  if (expected === 'colon') return token === ':' ? 'value' : null
  if (expected.startsWith('name')) return token.startsWith('"') && isScalar(token) ? 'colon' : null
  const closes = CLOSING[token]
  if (closes === undefined) return isScalar(token) ? 'comma' : null
  open.push(closes)
  return closes === '}' ? 'name or end' : 'value or end'
}

const nextItem = (closing: string): Expected => (closing === '}' ? 'name' : 'value')

function isScalar(token: string): boolean {
  try {
    JSON.parse(token)
    return true
  } catch {
    return false
  }
}
