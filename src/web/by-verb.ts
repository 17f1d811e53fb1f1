/** Reads a rule that is declared once for a class or folder, or per verb. Knows no particular rule. */
import { METHODS } from 'node:http'

/** Methods of a class that serve a WebSocket. CONNECT runs before its upgrade, which is a GET. */
export const SOCKET_VERBS: readonly string[] = ['CONNECT', 'MESSAGE', 'DISCONNECT']

/** Methods of the IANA registry, as Node lists them, without the CONNECT of HTTP proxies. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'))

/** Returns whether the name of a method is a verb: an HTTP method, `ANY`, or one for WebSockets. */
export function isVerb(name: string): boolean {
  return name === 'ANY' || KNOWN_METHODS.has(name) || SOCKET_VERBS.includes(name)
}

/** Returns the verb whose rules apply: GET for an upgrade to a WebSocket. */
export function ruleVerb(verb: string): string {
  return SOCKET_VERBS.includes(verb) ? 'GET' : verb
}

/** Rule that may differ by verb. */
export class ByVerb<T> {
  /** Rule of the verbs without a rule of their own; undefined if the declaration omits them. */
  readonly #rest: T | undefined
  readonly #byVerb: ReadonlyMap<string, T>

  private constructor(rest: T | undefined, byVerb: ReadonlyMap<string, T>) {
    this.#rest = rest
    this.#byVerb = byVerb
  }

  /**
   * Reads a declaration. An object whose keys are all verbs has a rule for each, and `ANY` covers the others. Any other
   * value is one rule for every verb.
   *
   * @param parse checks one rule and throws a {@link RuleError}
   * @throws {RuleError}
   */
  static parse<T>(declared: unknown, parse: (value: unknown) => T): ByVerb<T> {
    if (!isByVerb(declared)) return new ByVerb(parse(declared), new Map())
    const byVerb = new Map(Object.entries(declared).map(([verb, value]) => [verb, parse(value)]))
    return new ByVerb(byVerb.get('ANY'), byVerb)
  }

  /** Returns the rule of a verb; undefined if the declaration omits it. */
  for(verb: string): T | undefined {
    return this.#byVerb.get(verb) ?? this.#rest
  }

  get verbs(): Iterable<string> {
    return this.#byVerb.keys()
  }
}

/** Problem of a declared rule. Its message completes "static NAME …". */
export class RuleError extends Error {}

function isByVerb(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const names = Object.keys(value)
  return names.length > 0 && names.every(isVerb)
}

/**
 * Reads a static member that a class may declare by verb. Returns null if it is missing or has a problem.
 *
 * @param methods verbs of the class
 * @param addProblem called with the rest of a sentence that begins with the class
 */
export function readByVerb<T>(
  endpoint: Readonly<Record<string, unknown>>,
  name: string,
  methods: ReadonlySet<string>,
  parse: (value: unknown) => T,
  addProblem: (problem: string) => void,
): ByVerb<T> | null {
  if (!(name in endpoint)) return null
  try {
    const rule = ByVerb.parse(endpoint[name], parse)
    for (const problem of unknownVerbs(name, rule, methods)) addProblem(problem)
    return rule
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    addProblem(`: static ${name} ${error.message}`)
    return null
  }
}

/** Yields a problem for each verb that a rule names and the class lacks. */
export function* unknownVerbs(
  name: string,
  rule: ByVerb<unknown>,
  methods: ReadonlySet<string>,
): Generator<string> {
  for (const verb of rule.verbs) {
    if (methods.has(verb) || verb === 'ANY') continue
    const problem = SOCKET_VERBS.includes(verb)
      ? 'the rules of a WebSocket are those of GET. Name GET'
      : 'there is no such method'
    yield `, ${verb}: static ${name} names it, but ${problem}`
  }
}
