/** Reads the `_folder` file of a directory, whose rules apply to all classes below it in the same prefix. */
import { type LoadModule, loadProblem } from './load.ts'
import { type After, type Before, type FolderRules, RULES, readRules } from './rules.ts'

const EXPORTS: readonly string[] = [...RULES, 'headers', 'before', 'after']

/**
 * Reads a `_folder` file.
 *
 * @param file null for a directory without a `_folder` file, which inherits the rules around it
 * @param outer rules of the surrounding directory
 */
export async function readFolderRules(
  file: string | null,
  outer: FolderRules | null,
  load: LoadModule,
  addProblem: (problem: string) => void,
): Promise<FolderRules | null> {
  if (file === null) return outer
  let exports: Readonly<Record<string, unknown>>
  try {
    exports = await load(file)
  } catch (error) {
    addProblem(loadProblem(file, error))
    return outer
  }
  const problem = (name: string, text: string): void => addProblem(`${file}: ${name} ${text}`)
  for (const name of Object.keys(exports)) {
    // Node adds `default` and `module.exports` to the exports of a CommonJS file.
    if (EXPORTS.includes(name) || name === 'default' || name === 'module.exports') continue
    problem(name, `is not known there. A folder may export ${EXPORTS.join(', ')}`)
  }
  const { headers = [], before, after } = exports
  if (!areHeaderNames(headers)) problem('headers', 'must be a list of header names in lower case')
  if (before !== undefined && typeof before !== 'function') problem('before', 'must be a function')
  if (after !== undefined && typeof after !== 'function') problem('after', 'must be a function')
  return {
    file,
    exports,
    declared: readRules(exports, problem),
    headers: headers as string[],
    before: (before as Before | undefined) ?? null,
    after: (after as After | undefined) ?? null,
    outer,
  }
}

export function areHeaderNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((name) => typeof name === 'string' && name === name.toLowerCase())
  )
}
