/** Reads the configuration file: YAML to properties, with dots for nesting. Does not check values. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { SETTINGS } from './table.ts'

const require = createRequire(import.meta.url)

const QUOTES = 'put a value with special characters in quotes'
const TABS = 'a tab does not indent in YAML, use spaces'

/** Reads a file. @param problems receives one line per problem @returns the properties by key */
export function readConfigFile(path: string, problems: string[]): Map<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(
      `--config: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}); name a readable YAML file`,
    )
    return new Map()
  }
  // Loaded only if there is a file, and synchronously, because settings are read synchronously. The library takes 0.9
  // MB of heap.
  const { LineCounter, parseDocument } = require('yaml') as typeof import('yaml')
  // The parser's own messages quote the line, which may hold a secret.
  const lines = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines })
  const [error] = document.errors
  if (error) {
    const { line, col } = lines.linePos(error.pos[0])
    const cure = error.code === 'TAB_AS_INDENT' ? TABS : QUOTES
    problems.push(`${path}: line ${line}, column ${col} is not valid YAML (${error.code}); ${cure}`)
    return new Map()
  }
  try {
    const content: unknown = document.toJS() ?? {}
    if (typeof content === 'object' && !Array.isArray(content)) return flatten(content as object)
    problems.push(`${path}: expected properties, such as "server.port: 8080"`)
  } catch {
    problems.push(`${path}: an alias (*name) cannot be resolved; ${QUOTES}`)
  }
  return new Map()
}

/** Flattens nested properties: `server: {port: 1}` and `server.port: 1` are equivalent. */
function flatten(content: object, prefix = ''): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(content)) {
    const key = prefix + name
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!nested || SETTINGS.some((setting) => setting.key === key)) found.set(key, value)
    else for (const [inner, innermost] of flatten(value, `${key}.`)) found.set(inner, innermost)
  }
  return found
}
