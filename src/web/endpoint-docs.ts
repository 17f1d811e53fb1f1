/**
 * Reads and checks the static members that serve only the API description: ids, summary, responses, headers, errors.
 */
import type { TSchema } from '@sinclair/typebox'
import type { ErrorTable } from './errors.ts'
import { type Handler, TreeError } from './handler.ts'
import { unknownRef } from './openapi-schemas.ts'
import type { Prefix } from './site.ts'
import { routes } from './tree.ts'

export interface EndpointDocs {
  /** Null when the class declares none. */
  readonly operationId: string | null
  readonly summary: string | null
  /** Schemas of the bodies, by status; null for a response without a body. The map is null when the class declares none. */
  readonly responses: ReadonlyMap<number, TSchema | null> | null
  /** Schemas of the headers that a response below 400 may have. */
  readonly replyHeaders: Readonly<Record<string, TSchema>>
  /** Codes from the error tables. Null when the class declares none. */
  readonly errors: readonly string[] | null
}

type ByVerb = Readonly<Record<string, unknown>>

export function isDescribed({ endpoint }: Handler): boolean {
  return endpoint.described !== false
}

/**
 * Returns the documentation of one method of a class.
 *
 * @param verb an HTTP method, or `ANY`
 */
export function docsOf({ endpoint }: Handler, verb: string): EndpointDocs {
  const { operationId, summary, responses, replyHeaders, errors } = endpoint as {
    operationId?: ByVerb
    summary?: string | ByVerb
    responses?: ByVerb
    replyHeaders?: ByVerb
    errors?: ByVerb
  }
  const line = typeof summary === 'string' ? summary : summary?.[verb]
  return {
    operationId: (operationId?.[verb] as string | undefined) ?? null,
    summary: (line as string | undefined) ?? null,
    responses: responsesOf(responses?.[verb]),
    replyHeaders: (replyHeaders?.[verb] as EndpointDocs['replyHeaders'] | undefined) ?? {},
    errors: (errors?.[verb] as readonly string[] | undefined) ?? null,
  }
}

/** Returns schemas by status. A bare schema `Client` is short for `{ 200: Client }`. */
function responsesOf(value: unknown): EndpointDocs['responses'] {
  if (value === undefined) return null
  if (!isByStatus(value)) return new Map([[200, value as TSchema]])
  return new Map(Object.entries(value).map(([status, schema]) => [Number(status), schema]))
}

function isByStatus(value: unknown): value is Record<string, TSchema | null> {
  const statuses = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return statuses.length > 0 && statuses.every((status) => /^[2-5]\d\d$/.test(status))
}

/**
 * Checks the documentation of all classes.
 *
 * @throws {TreeError} for documentation of a method that the class lacks, an error code in no table, or a `$ref` to nothing
 */
export function checkDocs(prefixes: readonly Prefix[]): void {
  const known = new Set(
    prefixes.flatMap(({ module }) => Object.keys(module.errors ?? ({} satisfies ErrorTable))),
  )
  const handlers = new Set(prefixes.flatMap(({ tree }) => [...routes(tree)].map(({ handler }) => handler)))
  const problems = [
    ...prefixes.flatMap(tableProblemsOf),
    ...[...handlers].flatMap((handler) => problemsOf(handler, known)),
  ]
  if (problems.length > 0) throw new TreeError(problems)
}

/** Returns the problems of the error table of a prefix. */
function tableProblemsOf({ module, servicesFile }: Prefix): string[] {
  return Object.entries((module.errors ?? {}) as ErrorTable).flatMap(([code, { gives = {} }]) =>
    Object.entries(gives).flatMap(([part, schemas]) =>
      Object.entries(schemas).flatMap(([name, schema]) =>
        refProblem(`${servicesFile}: errors, "${code}": gives.${part}.${name}`, schema),
      ),
    ),
  )
}

/** Returns the problem of a schema with a `$ref` to nothing, in a list; an empty list without one. */
function refProblem(where: string, schema: TSchema): string[] {
  const ref = unknownRef(schema)
  if (ref === undefined) return []
  return [
    `${where} refers to "${ref}", which no schema around it has as $id. Put the schema itself there, or use Type.Module`,
  ]
}

function problemsOf({ endpoint, file, name, verbs }: Handler, known: ReadonlySet<string>): string[] {
  const problems: string[] = []
  if (typeof (endpoint.described ?? true) !== 'boolean') {
    problems.push(`${file}: class ${name}: static described must be true or false`)
  }
  for (const table of ['operationId', 'summary', 'responses', 'replyHeaders', 'errors']) {
    const value = endpoint[table]
    if (typeof value !== 'object' || value === null) continue
    for (const [verb, entry] of Object.entries(value)) {
      const where = `${file}: class ${name}, ${verb}: static ${table}`
      if (!verbs.has(verb)) problems.push(`${where} names it, but there is no such method`)
      else if (entry === undefined) problems.push(`${where} has undefined for it`)
      else if (table === 'operationId' && !/^[A-Za-z_]\w*$/.test(String(entry))) {
        problems.push(`${where} has "${entry}". Use letters, digits and _, as in a name of a function`)
      } else if (table === 'errors') {
        const unknown = (entry as readonly string[]).filter((code) => !known.has(code))
        for (const code of unknown) problems.push(`${where} has "${code}", which is in no table of errors`)
      } else if (typeof entry === 'object') {
        problems.push(...refProblem(where, entry as TSchema))
      }
    }
  }
  return problems
}
