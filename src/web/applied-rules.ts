/**
 * Lists the rules that apply to a method, and the file that declares each. For `waybill routes --rules`, never for a
 * request.
 */
import { ByVerb } from './by-verb.ts'
import type { Handler } from './handler.ts'
import { outwards, RULES } from './rules.ts'

export interface AppliedRule {
  readonly name: string
  /** Value as the file declares it for this method. */
  readonly value: unknown
  readonly file: string
}

/** Yields the rules of a method, each from its class or else from the innermost folder that declares it. */
export function* appliedRules({ endpoint, file, folder }: Handler, verb: string): Generator<AppliedRule> {
  const sources = [{ file, exports: endpoint as Readonly<Record<string, unknown>> }, ...outwards(folder)]
  for (const name of RULES) {
    for (const { file, exports } of sources) {
      if (!(name in exports)) continue
      const value = ByVerb.parse(exports[name], (declared) => declared).for(verb)
      if (value === undefined) continue
      yield { name, value, file }
      break
    }
  }
}

/** Returns the files whose hooks run before and after a method, in the order of execution. */
export function hookFiles({ folder }: Handler): { readonly before: string[]; readonly after: string[] } {
  const folders = [...outwards(folder)]
  return {
    before: folders.flatMap(({ before, file }) => (before ? file : [])).reverse(),
    after: folders.flatMap(({ after, file }) => (after ? file : [])),
  }
}
