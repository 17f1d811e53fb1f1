/** Reads the rules that classes and folders declare, and decides which of them apply to a method. Runs at load. */
import { type AccessRule, parseAccess } from './access-rule.ts'
import { ByVerb, RuleError } from './by-verb.ts'
import { CachePolicy } from './cache.ts'
import { Cors } from './cors.ts'
import type { Reply } from './endpoint.ts'
import { RateLimit } from './rate-limit.ts'
import type { Call } from './types.ts'

/**
 * Hook of a folder that runs before a handler, after access is checked and before the body is read. To end the request
 * it throws or returns a reply.
 */
export type Before = (call: Call, services: never) => Reply | undefined | Promise<Reply | undefined>

/** Hook of a folder that runs after a handler returned or threw. It may return another reply. */
export type After = (
  call: Call,
  reply: Reply,
  services: never,
) => Reply | undefined | Promise<Reply | undefined>

/** Rules of one method other than access. `Verb.rules` is null for a method without rules, which then costs nothing. */
export interface Rules {
  readonly cors: Cors | null
  readonly limit: RateLimit | null
  readonly cache: CachePolicy | null
  /** Outermost folder first. */
  readonly before: readonly Before[]
  /** Innermost folder first. */
  readonly after: readonly After[]
}

export interface DeclaredRules {
  readonly access?: ByVerb<AccessRule>
  readonly cors?: ByVerb<Cors | false>
  readonly limit?: ByVerb<RateLimit | false>
  readonly cache?: ByVerb<CachePolicy>
}

const PARSERS = {
  access: parseAccess,
  cors: Cors.parse,
  limit: RateLimit.parse,
  cache: CachePolicy.parse,
} as const

/** Names of the rules, which are static members of a class and exports of a `_folder` file. */
export const RULES = Object.keys(PARSERS) as readonly (keyof DeclaredRules)[]

/**
 * Reads the rules that a class or folder declares.
 *
 * @param addProblem called with the name of a rule and the rest of a sentence about it
 */
export function readRules(
  declared: object,
  addProblem: (name: string, problem: string) => void,
): DeclaredRules {
  const rules: Record<string, ByVerb<unknown>> = {}
  for (const name of RULES) {
    // An undefined rule is a problem, not a default: `access = Roles.Typo` must not make the class public.
    if (!(name in declared)) continue
    try {
      rules[name] = ByVerb.parse<unknown>((declared as Record<string, unknown>)[name], PARSERS[name])
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      addProblem(name, error.message)
    }
  }
  return rules
}

/** Rules of a folder, from its `_folder` file, linked to the rules of the surrounding folders. */
export interface FolderRules {
  /** Path of the `_folder` file, or the name of the setting that declares the rules. */
  readonly file: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly declared: DeclaredRules
  readonly headers: readonly string[]
  readonly before: Before | null
  readonly after: After | null
  readonly outer: FolderRules | null
}

/** Yields a folder and the surrounding folders, the innermost first. */
export function* outwards(folder: FolderRules | null): Generator<FolderRules> {
  for (let each = folder; each !== null; each = each.outer) yield each
}

/** Returns the access rule of a verb, from its class, else from the innermost folder that declares one, else null. */
export function verbAccess(verb: string, own: DeclaredRules, folder: FolderRules | null): AccessRule | null {
  return innermost('access', verb, own, folder) ?? null
}

export function verbRules(verb: string, own: DeclaredRules, folder: FolderRules | null): Rules | null {
  const folders = [...outwards(folder)]
  const rules: Rules = {
    cors: innermost('cors', verb, own, folder) || null,
    limit: innermost('limit', verb, own, folder) || null,
    cache: innermost('cache', verb, own, folder) ?? null,
    before: folders.flatMap(({ before }) => before ?? []).reverse(),
    after: folders.flatMap(({ after }) => after ?? []),
  }
  const { cors, limit, cache, before, after } = rules
  const isEmpty = !cors && !limit && !cache && before.length === 0 && after.length === 0
  return isEmpty ? null : rules
}

type RuleOf<Name extends keyof DeclaredRules> =
  NonNullable<DeclaredRules[Name]> extends ByVerb<infer T> ? T : never

function innermost<Name extends keyof DeclaredRules>(
  name: Name,
  verb: string,
  own: DeclaredRules,
  folder: FolderRules | null,
): RuleOf<Name> | undefined {
  for (const declared of [own, ...[...outwards(folder)].map((each) => each.declared)]) {
    const rule = declared[name]?.for(verb) as RuleOf<Name> | undefined
    if (rule !== undefined) return rule
  }
  return undefined
}
