/** The trees of an app → its description in OpenAPI 3.1: what classes, signatures, schemas and error tables say. */
import { relative } from 'node:path'
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { accessOf } from './access.ts'
import type { Access } from './endpoint.ts'
import { docsOf } from './endpoint-docs.ts'
import { type BareErrors, NO_BARE_ERRORS } from './errors.ts'
import type { Handler, Verb } from './handler.ts'
import { match } from './match.ts'
import { segmentsOfSpelling } from './merge.ts'
import { type ResponseObject, responsesOf } from './openapi-responses.ts'
import { type JsonSchema, Schemas } from './openapi-schemas.ts'
import { hasDefault } from './schema.ts'
import type { Prefix, Site } from './site.ts'
import { type Route, routes } from './tree.ts'

export interface Info {
  readonly title: string
  readonly version: string
  readonly description?: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary?: string
  /** Empty: public. The list behind the scheme is that of the roles, of which one is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export type PathItem = Record<string, Operation>

export interface Description {
  readonly openapi: '3.1.0'
  readonly info: Info
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, { readonly type: 'http'; readonly scheme: 'bearer' }>>
  }
}

/** HEAD and OPTIONS that no class has a method for are left out, as in the list of routes. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const ANY_STANDS_FOR = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']
const WITH_BODY = new Set(['PUT', 'POST', 'PATCH'])
const SCHEME = 'bearer'

/** Describes everything that requests can reach. */
export function describeSite(site: Site, info: Info, bareErrors: BareErrors = NO_BARE_ERRORS): Description {
  const schemas = new Schemas()
  const paths: Record<string, PathItem> = {}
  // Two methods of a class may call one argument by two names; a path can only have one of them.
  const spellings = new Map<string, string>()
  for (const prefix of site.prefixes) {
    for (const { handler, spell } of routes(prefix.tree)) {
      for (const { method, verbName, verb, path } of methodsOf(handler, spell)) {
        if (match(site.tree, method, segmentsOfSpelling(path))?.handler !== handler) continue
        const key = path.replace(/\{[^}]*\}/g, '{}')
        const spelling = spellings.get(key) ?? path
        spellings.set(key, spelling)
        const access = accessOf(handler, site)
        const tables = site.errorTablesFor(prefix)
        const docs = docsOf(handler, verbName)
        const hasBody = verb.signature.keywords !== null && WITH_BODY.has(method)
        paths[spelling] = {
          ...paths[spelling],
          [method.toLowerCase()]: {
            operationId: operationId(method, spelling),
            tags: [tagOf(handler, prefix)],
            ...(docs.summary !== null && { summary: docs.summary }),
            security: securityOf(access),
            ...inputs(verb, spelling, hasBody, schemas),
            responses: responsesOf({ verb, docs, access, hasBody, tables, schemas, bareErrors }),
          },
        }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas: schemas.named, securitySchemes: { [SCHEME]: { type: 'http', scheme: 'bearer' } } },
  }
}

interface Method {
  readonly method: string
  /** The name of the class's method: `ANY` stands for several. */
  readonly verbName: string
  readonly verb: Verb
  readonly path: string
}

/** Each method with each path that it answers: one for each number of positional arguments. */
function* methodsOf({ verbs }: Handler, spell: Route['spell']): Generator<Method> {
  for (const [verbName, verb] of verbs) {
    const methods = verbName === 'ANY' ? ANY_STANDS_FOR.filter((method) => !verbs.has(method)) : [verbName]
    const { positionals, rest } = verb.signature
    const names = rest === null ? positionals : [...positionals, { name: rest, optional: true }]
    for (const method of methods.filter((method) => METHODS.includes(method))) {
      for (let count = 0; count <= names.length; count++) {
        if (names[count]?.optional === false) continue
        const path = spell(names.slice(0, count).map(({ name }) => `/{${name}}`))
        yield { method, verbName, verb, path }
      }
    }
  }
}

function operationId(method: string, path: string): string {
  const words = path.replace(/\{/g, 'by-').match(/[\p{L}\p{N}_]+/gu) ?? []
  return [method.toLowerCase(), ...words].join('-')
}

/** The module, as its path in the prefix. */
function tagOf({ file }: Handler, { path }: Prefix): string {
  const module = relative(path, file)
    .replace(/\.\w+$/, '')
    .replaceAll('\\', '/')
  return module.replace(/\/?\bindex$/, '') || '/'
}

function securityOf(access: Access): Operation['security'] {
  if (access === 'public') return []
  return [{ [SCHEME]: access === 'any' ? [] : [access] }]
}

function inputs(
  { signature, keywords, positionals }: Verb,
  path: string,
  hasBody: boolean,
  schemas: Schemas,
): Pick<Operation, 'parameters' | 'requestBody'> {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map((match, i): Parameter => {
    const schema = positionals?.[i]?.schema ?? Type.String({ minLength: 1 })
    const isRest = i >= signature.positionals.length
    const more = isRest && { description: 'one segment or more' }
    return { name: match[1] as string, in: 'path', required: true, ...more, schema: schemas.of(schema) }
  })
  const contract =
    signature.keywords === null ? null : given(keywords?.schema ?? undeclared(signature.keywords))
  const inQuery = contract && !hasBody ? queryOf(contract, schemas) : []
  const parameters = [...inPath, ...inQuery]
  const content = contract && hasBody ? { [bodyTypeOf(contract)]: { schema: schemas.of(contract) } } : null
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: (contract?.required ?? []).length > 0, content } }),
  }
}

/** Files come in forms; all else is described as JSON, though forms carry it too. */
function bodyTypeOf({ properties }: TObject): string {
  const hasFile = Object.values(properties).some(({ format }) => format === 'binary')
  return hasFile ? 'multipart/form-data' : 'application/json'
}

/** The schema for those who send: what has a default may be left out. */
function given(schema: TObject): TObject {
  const required = schema.required?.filter((name) => !hasDefault(schema.properties[name] as TSchema))
  return { ...schema, required: required?.length ? required : undefined } as TObject
}

/** What a signature says without a schema. */
function undeclared(keys: readonly { readonly name: string; readonly optional: boolean }[]): TObject {
  return Type.Object(
    Object.fromEntries(
      keys.map(({ name, optional }) => [name, optional ? Type.Optional(Type.Unknown()) : Type.Unknown()]),
    ),
  )
}

function queryOf(schema: TObject, schemas: Schemas): Parameter[] {
  return Object.entries(schema.properties).map(([name, member]) => {
    const { description, ...rest } = withoutNull(member)
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      ...(description && { description }),
      schema: schemas.of(rest as TSchema),
    }
  })
}

/** Text cannot say null. */
function withoutNull(schema: TSchema): TSchema {
  const variants = (schema.anyOf as TSchema[] | undefined)?.filter(({ type }) => type !== 'null')
  return variants?.length === 1 ? (variants[0] as TSchema) : schema
}
