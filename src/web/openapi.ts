/** Describes the trees of an app in OpenAPI 3.1, from classes, signatures, schemas and error tables. */
import { relative } from 'node:path'
import { accessOf } from './access.ts'
import type { AccessRule } from './access-rule.ts'
import type { ApiInfo } from './api-info.ts'
import { docsOf, isDescribed } from './endpoint-docs.ts'
import type { Handler } from './handler.ts'
import { match } from './match.ts'
import { splitRoutePath } from './merge.ts'
import { type Inputs, inputsOf } from './openapi-inputs.ts'
import { type ResponseObject, responsesOf } from './openapi-responses.ts'
import { ComponentSchemas, type JsonSchema } from './openapi-schemas.ts'
import type { Prefix, Site } from './site.ts'
import { type Route, routes } from './tree.ts'
import type { Verb } from './verb.ts'

export interface Operation extends Inputs {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary?: string
  /** Names the token that the operation needs. */
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export type PathItem = Record<string, Operation>

export interface ApiDescription {
  readonly openapi: '3.1.0'
  readonly info: ApiInfo
  /** Origin of the description itself, independent of the address of the server. */
  readonly servers: readonly [{ readonly url: '/' }]
  /** Tags of the operations, in order. The tag of a module defaults to its path. */
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    /** Missing if no operation needs a token. */
    readonly securitySchemes?: Readonly<Record<string, { readonly type: 'http'; readonly scheme: 'bearer' }>>
  }
}

/** Methods of the API description. HEAD and OPTIONS appear only if a class declares them, as in the list of routes. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const ANY_STANDS_FOR = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']
const WITH_BODY = new Set(['PUT', 'POST', 'PATCH'])
const SCHEME = 'bearer'

/**
 * Describes all classes that a request can reach, except those with `static described = false`.
 *
 * @param problems true describes errors as problem details too
 */
export function describeSite(site: Site, info: ApiInfo, problems = false): ApiDescription {
  const schemas = new ComponentSchemas()
  const paths: Record<string, PathItem> = {}
  const tags = new Map<string, ApiDescription['tags'][number]>()
  const uniqueId = numberer()
  let isPublic = true
  // Methods of a class may name the same argument differently; the path has the first name.
  const spellings = new Map<string, string>()
  for (const prefix of site.prefixes) {
    for (const { handler, pathWith, tag } of routes(prefix.tree)) {
      if (!isDescribed(handler)) continue
      for (const { method, verbName, verb, path } of methodsOf(handler, pathWith)) {
        if (match(site.tree, method, splitRoutePath(path))?.handler !== handler) continue
        const key = path.replace(/\{[^}]*\}/g, '{}')
        const spelling = spellings.get(key) ?? path
        spellings.set(key, spelling)
        // A class has a route for each form of its paths, so the loop finds its methods once per form.
        if (paths[spelling]?.[method.toLowerCase()]) continue
        const access = accessOf(verb.access, site)
        isPublic &&= access === 'public'
        const tables = site.errorTablesFor(prefix)
        const { bareErrors } = prefix.module
        const docs = docsOf(handler, verbName)
        const { name, ...more } = tag ?? { name: modulePath(handler, prefix) }
        tags.set(name, { name, ...tags.get(name), ...more })
        const hasBody = verb.signature.keywords !== null && WITH_BODY.has(method)
        paths[spelling] = {
          ...paths[spelling],
          [method.toLowerCase()]: {
            operationId: uniqueId(docs.operationId ?? derivedId(method, spelling)),
            tags: [name],
            ...(docs.summary !== null && { summary: docs.summary }),
            description: describeAccess(access),
            security: securityOf(access),
            ...inputsOf(verb, spelling, hasBody, schemas),
            responses: responsesOf({ verb, docs, access, hasBody, tables, schemas, bareErrors, problems }),
          },
        }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: schemas.byName,
      ...(!isPublic && { securitySchemes: { [SCHEME]: { type: 'http', scheme: 'bearer' } } }),
    },
  }
}

interface Method {
  readonly method: string
  /** Name of the method in the class. `ANY` stands for several HTTP methods. */
  readonly verbName: string
  readonly verb: Verb
  readonly path: string
}

/** Yields each HTTP method with each path that it answers. There is one path per number of positional arguments. */
function* methodsOf({ verbs }: Handler, pathWith: Route['pathWith']): Generator<Method> {
  for (const [verbName, verb] of verbs) {
    const methods = verbName === 'ANY' ? ANY_STANDS_FOR.filter((method) => !verbs.has(method)) : [verbName]
    const { positionals, rest } = verb.signature
    const names = rest === null ? positionals : [...positionals, { name: rest, optional: true }]
    for (const method of methods.filter((method) => METHODS.includes(method))) {
      for (let count = 0; count <= names.length; count++) {
        if (names[count]?.optional === false) continue
        const path = pathWith(names.slice(0, count).map(({ name }) => `/{${name}}`))
        yield { method, verbName, verb, path }
      }
    }
  }
}

/** Derives an id for an operation that declares none: `getNotesById`. */
function derivedId(method: string, path: string): string {
  const words = path.replace(/\{/g, 'by-').match(/[\p{L}\p{N}_]+/gu) ?? []
  return [method.toLowerCase(), ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join('')
}

/** Returns a function that makes repeated ids unique by adding a number. */
function numberer(): (id: string) => string {
  const taken = new Set<string>()
  return (id) => {
    let unique = id
    for (let n = 2; taken.has(unique); n++) unique = `${id}${n}`
    taken.add(unique)
    return unique
  }
}

function modulePath({ file }: Handler, { path }: Prefix): string {
  const module = relative(path, file)
    .replace(/\.\w+$/, '')
    .replaceAll('\\', '/')
  return module.replace(/\/?\bindex$/, '') || '/'
}

function securityOf(access: AccessRule): Operation['security'] {
  return access === 'public' ? [] : [{ [SCHEME]: [] }]
}

/**
 * Describes the required role in prose. OpenAPI 3.1 would allow it in `security` too, but 3.0 does not, and linters
 * report it there as an undefined scope.
 */
function describeAccess(access: AccessRule): string {
  if (access === 'public') return 'Needs no token.'
  if (access === 'any') return 'Needs a valid token.'
  const noun = access.length === 1 ? 'the role' : 'one of the roles'
  return `Needs a token with ${noun} ${access.join(', ')}.`
}
