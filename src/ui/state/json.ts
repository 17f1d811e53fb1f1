/** Checks, formats and splits JSON as text, so that no digit changes. Makes no requests. */

interface Token {
  readonly text: string
  readonly at: number
}

/** Names the missing or superfluous part. */
export type JsonFault = 'object' | 'name' | 'colon' | 'value' | 'text' | 'comma' | 'end' | 'extra'

export interface JsonProblem {
  readonly fault: JsonFault
  /** Line of the problem, counted from 1. */
  readonly line: number
  /** Column of the problem, counted from 1. */
  readonly column: number
}

type Expected = 'object' | 'first name' | 'name' | 'colon' | 'first value' | 'value' | 'comma' | 'nothing'

const OPENS = new Set(['{', '['])
const CLOSES = new Set(['}', ']'])

/** Splits JSON into tokens. An unterminated string ends with its line. */
function tokenize(json: string): Token[] {
  const found = json.matchAll(/"(?:[^"\\\n]+|\\.)*"?|[{}[\],:]|[^ \t\r\n{}[\],:"]+/g)
  return [...found].map((match) => ({ text: match[0], at: match.index }))
}

function isValue(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the first problem that prevents a text from being a JSON object; null for a JSON object. */
export function findJsonProblem(json: string): JsonProblem | null {
  const open: string[] = []
  let expected: Expected = 'object'

  const close = (): void => {
    open.pop()
    expected = open.length === 0 ? 'nothing' : 'comma'
  }
  const faultOf = ({ text }: Token): JsonFault | null => {
    const isText = text.startsWith('"')
    if (expected === 'nothing') return 'extra'
    if (expected === 'object' && text !== '{') return 'object'
    if (expected === 'colon') {
      expected = 'value'
      return text === ':' ? null : 'colon'
    }
    if (expected === 'comma') {
      const within = open.at(-1)
      if (text === (within === '{' ? '}' : ']')) close()
      else if (text === ',') expected = within === '{' ? 'name' : 'value'
      else return 'comma'
      return null
    }
    if (expected === 'name' || expected === 'first name') {
      if (text === '}' && expected === 'first name') close()
      else if (!isText) return 'name'
      else if (!isValue(text)) return 'text'
      else expected = 'colon'
      return null
    }
    if (OPENS.has(text)) {
      open.push(text)
      expected = text === '{' ? 'first name' : 'first value'
    } else if (text === ']' && expected === 'first value') close()
    else if (isValue(text)) expected = 'comma'
    else return isText ? 'text' : 'value'
    return null
  }

  for (const token of tokenize(json)) {
    const fault = faultOf(token)
    if (fault) return { fault, ...positionOf(json, token.at) }
  }
  return (expected as Expected) === 'nothing'
    ? null
    : { fault: 'end', ...positionOf(json, json.trimEnd().length) }
}

function positionOf(json: string, at: number): { line: number; column: number } {
  const before = json.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Formats JSON with one line per member. Values keep their text. @param json valid JSON */
export function formatJson(json: string): string {
  let depth = 0
  let out = ''
  let before = ''
  for (const { text } of tokenize(json)) {
    if (CLOSES.has(text)) depth--
    const isEmpty = OPENS.has(before) && CLOSES.has(text)
    const isNewLine = before === ',' || OPENS.has(before) || CLOSES.has(text)
    if (isNewLine && !isEmpty) out += `\n${'  '.repeat(depth)}`
    out += text === ':' ? ': ' : text
    if (OPENS.has(text)) depth++
    before = text
  }
  return out
}

/**
 * Splits an object into its members, or an array into its items. Each value keeps its text; the name of an item is
 * empty.
 *
 * @param json valid JSON
 */
export function splitJson(json: string): [name: string, text: string][] {
  const parts: [string, string][] = []
  let depth = 0
  let name = ''
  let start = -1
  let end = -1
  for (const { text, at } of tokenize(json)) {
    if (CLOSES.has(text)) depth--
    const isOver = depth === 0 || (depth === 1 && text === ',')
    if (isOver && start >= 0) {
      parts.push([name, json.slice(start, end)])
      name = ''
      start = -1
    } else if (depth === 1 && text === ':') {
      name = JSON.parse(json.slice(start, end)) as string
      start = -1
    } else if (depth > 0 && !isOver) {
      if (start < 0) start = at
      end = at + text.length
    }
    if (OPENS.has(text)) depth++
  }
  return parts
}

/**
 * Parses an object, but keeps the member `data` as JSON text. `JSON.parse` would turn `1.0` into 1 and round numbers
 * beyond 2^53.
 */
export function parseKeepingData<T>(json: string): Omit<T, 'data'> & { readonly data: string } {
  const data = splitJson(json).find(([name]) => name === 'data')?.[1] ?? '{}'
  return { ...JSON.parse(json), data }
}
