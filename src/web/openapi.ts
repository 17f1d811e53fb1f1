/** Describes the trees of an app in OpenAPI 3.1, from classes, signatures, schemas and error tables. */
import { relative } from 'node:path'
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { accessOf } from './access.ts'
import type { AccessRule } from './access-rule.ts'
import { docsOf } from './endpoint-docs.ts'
import { type BareErrors, NO_BARE_ERRORS } from './errors.ts'
import type { Handler, Verb } from './handler.ts'
import { match } from './match.ts'
import { splitRoutePath } from './merge.ts'
import { type ResponseObject, responsesOf } from './openapi-responses.ts'
import { ComponentSchemas, type JsonSchema } from './openapi-schemas.ts'
import { hasDefault } from './schema.ts'
import type { Prefix, Site } from './site.ts'
import { type Route, routes } from './tree.ts'

export interface ApiInfo {
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
  /** Alternatives, of which one must hold, each a security scheme with the role that it needs; empty for a public operation. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export type PathItem = Record<string, Operation>

export interface ApiDescription {
  readonly openapi: '3.1.0'
  readonly info: ApiInfo
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, { readonly type: 'http'; readonly scheme: 'bearer' }>>
  }
}

/** Methods of the API description. HEAD and OPTIONS appear only if a class declares them, as in the list of routes. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const ANY_STANDS_FOR = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']
const WITH_BODY = new Set(['PUT', 'POST', 'PATCH'])
const SCHEME = 'bearer'

/** Describes all classes that a request can reach. */
export function describeSite(
  site: Site,
  info: ApiInfo,
  bareErrors: BareErrors = NO_BARE_ERRORS,
): ApiDescription {
  const schemas = new ComponentSchemas()
  const paths: Record<string, PathItem> = {}
  // Two methods of a class may name the same argument differently; a path has the first of the names.
  const spellings = new Map<string, string>()
  for (const prefix of site.prefixes) {
    for (const { handler, pathWith } of routes(prefix.tree)) {
      for (const { method, verbName, verb, path } of methodsOf(handler, pathWith)) {
        if (match(site.tree, method, splitRoutePath(path))?.handler !== handler) continue
        const key = path.replace(/\{[^}]*\}/g, '{}')
        const spelling = spellings.get(key) ?? path
        spellings.set(key, spelling)
        const access = accessOf(verb.access, site)
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
            ...inputsOf(verb, spelling, hasBody, schemas),
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
    components: {
      schemas: schemas.byName,
      securitySchemes: { [SCHEME]: { type: 'http', scheme: 'bearer' } },
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

function operationId(method: string, path: string): string {
  const words = path.replace(/\{/g, 'by-').match(/[\p{L}\p{N}_]+/gu) ?? []
  return [method.toLowerCase(), ...words].join('-')
}

/** Returns the path of the module within its prefix. */
function tagOf({ file }: Handler, { path }: Prefix): string {
  const module = relative(path, file)
    .replace(/\.\w+$/, '')
    .replaceAll('\\', '/')
  return module.replace(/\/?\bindex$/, '') || '/'
}

function securityOf(access: AccessRule): Operation['security'] {
  if (access === 'public') return []
  return access === 'any' ? [{ [SCHEME]: [] }] : access.map((role) => ({ [SCHEME]: [role] }))
}

function inputsOf(
  { signature, keywords, positionals }: Verb,
  path: string,
  hasBody: boolean,
  schemas: ComponentSchemas,
): Pick<Operation, 'parameters' | 'requestBody'> {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map((match, i): Parameter => {
    const schema = positionals?.[i]?.schema ?? Type.String({ minLength: 1 })
    const isRest = i >= signature.positionals.length
    const more = isRest && { description: 'one segment or more' }
    return {
      name: match[1] as string,
      in: 'path',
      required: true,
      ...more,
      schema: schemas.reference(schema),
    }
  })
  const contract =
    signature.keywords === null
      ? null
      : withDefaultsOptional(keywords?.schema ?? schemaOfSignature(signature.keywords))
  const inQuery = contract && !hasBody ? queryParametersOf(contract, schemas) : []
  const parameters = [...inPath, ...inQuery]
  const content =
    contract && hasBody ? { [bodyTypeOf(contract)]: { schema: schemas.reference(contract) } } : null
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: (contract?.required ?? []).length > 0, content } }),
  }
}

/** Returns the media type of a request body: a form for a schema with files, else JSON, although forms are accepted too. */
function bodyTypeOf({ properties }: TObject): string {
  const hasFile = Object.values(properties).some(({ format }) => format === 'binary')
  return hasFile ? 'multipart/form-data' : 'application/json'
}

/** Returns the schema for clients, who may omit members with a default. */
function withDefaultsOptional(schema: TObject): TObject {
  const required = schema.required?.filter((name) => !hasDefault(schema.properties[name] as TSchema))
  return { ...schema, required: required?.length ? required : undefined } as TObject
}

/** Makes a schema from the keyword parameters of a signature, for a method that declares none. */
function schemaOfSignature(keys: readonly { readonly name: string; readonly optional: boolean }[]): TObject {
  return Type.Object(
    Object.fromEntries(
      keys.map(({ name, optional }) => [name, optional ? Type.Optional(Type.Unknown()) : Type.Unknown()]),
    ),
  )
}

function queryParametersOf(schema: TObject, schemas: ComponentSchemas): Parameter[] {
  return Object.entries(schema.properties).map(([name, member]) => {
    const { description, ...rest } = withoutNull(member)
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      ...(description && { description }),
      schema: schemas.reference(rest as TSchema),
    }
  })
}

/** Returns a schema without its variant null, because a query cannot express null. */
function withoutNull(schema: TSchema): TSchema {
  const variants = (schema.anyOf as TSchema[] | undefined)?.filter(({ type }) => type !== 'null')
  return variants?.length === 1 ? (variants[0] as TSchema) : schema
}
