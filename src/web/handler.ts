/** Checks and reflects one handler class at load, so that a request needs look-ups only. Knows no paths. */
import { type AccessRule, mostOpen } from './access-rule.ts'
import { parseBodyForm, parseBodyLimit } from './body-form.ts'
import { type ByVerb, readByVerb, ruleVerb, SOCKET_VERBS, unknownVerbs } from './by-verb.ts'
import { type EndpointClass, isEndpointClass } from './endpoint.ts'
import { areHeaderNames } from './folder.ts'
import { misspeltStatics } from './look-alikes.ts'
import { mediaOfName, parseMedia } from './media.ts'
import { kebab, segmentOf } from './names.ts'
import {
  type DeclaredRules,
  type FolderRules,
  outwards,
  type Rules,
  readRules,
  verbAccess,
  verbRules,
} from './rules.ts'
import { SignatureError } from './signature.ts'
import { type SocketVerbs, takeSocketVerbs } from './socket-verbs.ts'
import { type Verb, verbOf, verbsOf } from './verb.ts'
import { areSubprotocols } from './web-sockets.ts'

export interface Handler {
  readonly name: string
  readonly file: string
  readonly endpoint: EndpointClass
  /** Access rule for the verbs that the class lacks. */
  readonly otherAccess: AccessRule | null
  /** Other rules for the verbs that the class lacks. */
  readonly otherRules: Rules | null
  readonly headers: readonly string[]
  /** Rules of the surrounding folders; null without any. */
  readonly folder: FolderRules | null
  /** Number of positional arguments before the segment of the class (a member route): 1 for `/jobs/{id}/cancel`. */
  readonly member: number
  /** False for `Default` and for a class with `static segment = false`: they answer the paths of their module. */
  readonly hasSegment: boolean
  readonly verbs: ReadonlyMap<string, Verb>
  /**
   * Methods for WebSocket messages, in a class that accepts WebSockets; its `verbs` then include CONNECT. Null for
   * other classes.
   */
  readonly socket: SocketVerbs | null
  /** Subprotocols of its WebSockets, the preferred one first. */
  readonly subprotocols: readonly string[]
  readonly allow: string
  readonly nested: ReadonlyMap<string, Handler>
}

/** Error for a tree that cannot be served. Its message lists every problem, each with file, class and verb. */
export class TreeError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'TreeError'
  }
}

export type AddProblem = (problem: string) => void

/** Checks and reflects a handler class. Reports every problem, not only the first. */
export function handlerOf(
  endpoint: EndpointClass,
  name: string,
  file: string,
  folder: FolderRules | null,
  addProblem: AddProblem,
): Handler {
  const where = `${file}: class ${name}`
  const verbs = new Map<string, Verb>()
  const methods = verbsOf(endpoint)
  const declared = readRules(endpoint, (rule, problem) => addProblem(`${where}: static ${rule} ${problem}`))
  for (const problem of misspeltStatics(endpoint)) addProblem(`${where} ${problem}`)
  const read = <T>(rule: string, parse: (value: unknown) => T): ByVerb<T> | null =>
    readByVerb(endpoint, rule, methods, parse, (problem) => addProblem(`${where}${problem}`))
  const media = read('media', parseMedia)
  const bodies = read('body', parseBodyForm)
  const bodyLimits = read('bodyLimit', parseBodyLimit)
  for (const problem of uncovered(methods, declared)) addProblem(`${where}${problem}`)
  for (const verb of methods) {
    try {
      verbs.set(verb, {
        ...verbOf(endpoint, verb, SOCKET_VERBS.includes(verb) ? null : bodies),
        bodyLimit: bodyLimits?.for(verb) ?? null,
        media: media?.for(verb) ?? mediaOfName(name),
        access: verbAccess(ruleVerb(verb), declared, folder),
        rules: verbRules(ruleVerb(verb), declared, folder),
      })
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      addProblem(`${where}, ${verb}: ${error.message}`)
    }
  }
  const takesBody = [...verbs.values()].some(({ body }) => body !== null)
  const isForAll = bodies && [...bodies.verbs].every((verb) => verb === 'ANY')
  if (isForAll && !takesBody && verbs.size === methods.size) {
    addProblem(`${where}: static body concerns no method. Give a method the parameter { body }`)
  }
  for (const table of ['keywords', 'positionals', 'signature'] as const) {
    for (const [verb, value] of Object.entries((endpoint[table] as object) ?? {})) {
      if (!methods.has(verb))
        addProblem(`${where}, ${verb}: static ${table} names it, but there is no such method`)
      else if (value === undefined) addProblem(`${where}, ${verb}: static ${table} has undefined for it`)
    }
  }
  const socket = takeSocketVerbs(verbs, (verb, problem) => addProblem(`${where}, ${verb}: ${problem}`))
  const { headers = [] } = endpoint as { headers?: unknown }
  if (!areHeaderNames(headers))
    addProblem(`${where}: static headers must be a list of header names in lower case`)
  const { subprotocols = [] } = endpoint as { subprotocols?: unknown }
  if (!areSubprotocols(subprotocols))
    addProblem(`${where}: static subprotocols must be a list of different names, like ['json.v2', 'json.v1']`)
  else if (subprotocols.length > 0 && socket === null)
    addProblem(
      `${where}: static subprotocols is for WebSockets. Give the class a method ${SOCKET_VERBS.join(', ')}`,
    )
  const { member = 0 } = endpoint as { member?: unknown }
  if (!Number.isInteger(member) || (member as number) < 0) {
    addProblem(
      `${where}: static member must be a number of positional arguments, such as 1 for /jobs/{id}/cancel`,
    )
  }
  const { segment = name !== 'Default' } = endpoint as { segment?: unknown }
  if ('segment' in endpoint && segment !== false) {
    addProblem(`${where}: static segment must be false, or be left out`)
  }
  if (segment === false && (member as number) > 0) {
    addProblem(`${where}: static member needs a segment. Remove one of static member and static segment`)
  }
  for (const [verb, { signature }] of verbs) {
    const required = signature.positionals.filter(({ optional }) => !optional).length
    if (required >= (member as number)) continue
    addProblem(
      `${where}, ${verb}: static member is ${member}, so the method needs as many required parameters`,
    )
  }
  return {
    name,
    file,
    endpoint,
    member: member as number,
    hasSegment: segment !== false,
    otherAccess: mostOpen([...verbs.values()].map(({ access }) => access)),
    otherRules: verbRules('', declared, folder),
    folder,
    headers: [
      headers as string[],
      ...[...outwards(folder)].map((each) => each.headers),
      // A handler of raw bytes needs the content type to interpret them.
      takesBody ? ['content-type'] : [],
    ].flat(),
    verbs,
    socket,
    subprotocols: subprotocols as readonly string[],
    allow: allowOf(verbs),
    nested: nestedOf(endpoint, name, file, folder, addProblem),
  }
}

/** Yields the problems of the verbs that the rules of a class name. */
function* uncovered(methods: ReadonlySet<string>, declared: DeclaredRules): Generator<string> {
  const ruled = new Set([...methods].map(ruleVerb))
  for (const [name, rule] of Object.entries(declared)) yield* unknownVerbs(name, rule, ruled)
  // A verb without access would admit more callers than the verbs beside it.
  for (const verb of ruled) {
    if (declared.access && declared.access.for(verb) === undefined) {
      yield `, ${verb}: static access must cover it too. Add ${verb}, or ANY for all others`
    }
  }
}

function nestedOf(
  outer: EndpointClass,
  name: string,
  file: string,
  folder: FolderRules | null,
  addProblem: AddProblem,
): Map<string, Handler> {
  const found = new Map<string, Handler>()
  for (const key of Object.getOwnPropertyNames(outer)) {
    const value = outer[key]
    if (!isReachable(key) || !isEndpointClass(value)) continue
    const inner = handlerOf(value, `${name}.${key}`, file, folder, addProblem)
    if (inner.member > 0)
      addProblem(`${file}: class ${inner.name}: static member is only for exported classes`)
    if (!inner.hasSegment)
      addProblem(`${file}: class ${inner.name}: static segment is only for exported classes`)
    addHandler(found, inner, key, addProblem)
  }
  return found
}

/** Adds `handler` under the segment of `key`. Reports a problem when another class has that segment. */
export function addHandler(
  to: Map<string, Handler>,
  handler: Handler,
  key: string,
  addProblem: AddProblem,
): void {
  const segment = kebab(key)
  const other = to.get(segment)
  if (other) {
    addProblem(
      `${handler.file}: class ${handler.name} and class ${other.name} (${other.file}) both answer /${segmentOf(key)}`,
    )
  }
  to.set(segment, handler)
}

/** Returns whether an exported class has a path segment. `Default`, `_Name` and `NameController` have none. */
export function isReachable(exported: string): boolean {
  return !exported.startsWith('_') && !exported.endsWith('Controller') && kebab(exported) !== 'default'
}

export function allowOf(verbs: ReadonlyMap<string, Verb>): string {
  if (verbs.has('ANY')) return 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
  const methods = new Set(verbs.keys())
  methods.delete('CONNECT')
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  return [...methods].sort().join(', ')
}
