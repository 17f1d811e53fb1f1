/** Reads the value of a flag: the value itself, a file (`@FILE`) or standard input (`-`). */
import { readFileSync } from 'node:fs'
import { EXIT, Exit } from '../process/exit.ts'
import { jsonErrorAt } from './json-error.ts'
import type { Output } from './remote.ts'

/** Help of a flag whose value is read by {@link jsonInput}. */
export const JSON_SOURCES = '@FILE reads a file, - the standard input'

export async function inputText({ input }: Pick<Output, 'input'>): Promise<string> {
  return input ? input() : ''
}

/**
 * Returns the JSON text that a flag names, unchanged except for a byte order mark.
 *
 * @param flag its name, for errors
 * @param what expected value, for errors: `a JSON object, such as '{"speed":1}'`
 * @throws {Exit} when the file cannot be read, or when the text is not JSON
 */
export async function jsonInput(flag: string, value: string, what: string, output: Output): Promise<string> {
  const text = await sourceText(flag, value, output)
  try {
    JSON.parse(text)
    return text
  } catch {
    const source = value.startsWith('@') ? ` in ${value.slice(1)}` : ''
    throw new Exit(EXIT.usage, `${flag}: expected ${what}${source}: ${problemIn(text)}`)
  }
}

async function sourceText(flag: string, value: string, output: Output): Promise<string> {
  if (value === '-') return (await inputText(output)).replace(/^\ufeff/, '')
  if (!value.startsWith('@')) return value
  const path = value.slice(1)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : code
    throw new Exit(EXIT.usage, `${flag}: ${path} cannot be read: ${why}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Exit(EXIT.usage, `${flag}: ${path} is not UTF-8: save it as UTF-8`)
  }
}

const MAX_QUOTED = 20

/** Describes where and how a text is invalid JSON. */
function problemIn(text: string): string {
  if (text.trim() === '') return 'it is empty'
  const at = jsonErrorAt(text)
  const lines = text.slice(0, at).split('\n')
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
  const [found = ''] = text.slice(at, at + MAX_QUOTED).split(/[\r\n]/)
  return `${place}: unexpected ${at === text.length ? 'end' : JSON.stringify(found)}`
}
