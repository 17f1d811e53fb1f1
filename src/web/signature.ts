/** Reflects one verb method: its parameter list is its contract. Reads no body, calls nothing. */
import { type Pattern, parseExpressionAt, tokenizer } from 'acorn'

/*
 * parameters := positional* (keywords | ...rest)?
 * positional := name | name = default        optional ones after the required ones
 * keywords   := { key, key: local, key = default, ...others }
 */
export interface Signature {
  readonly positionals: readonly { readonly name: string; readonly optional: boolean }[]
  /** The name of the parameter that takes all further positional arguments. */
  readonly rest: string | null
  /** Null: the method takes no keyword arguments. */
  readonly keywords: readonly { readonly name: string; readonly optional: boolean }[] | null
}

/** A parameter list outside the grammar. The message says what and how to mend it, without naming the method. */
export class SignatureError extends Error {}

/** What only a class body may name, a default may name too. */
const SYNTAX = { ecmaVersion: 'latest', allowSuperOutsideMethod: true, checkPrivateFields: false } as const

/** @throws {SignatureError} */
export function reflect(method: (...args: never[]) => unknown): Signature {
  const source = Function.prototype.toString.call(method)
  if (/\{\s*\[native code\]\s*\}$/.test(source)) {
    throw new SignatureError('its source is native code (bound or wrapped); declare `static signature`')
  }
  return signatureOf(parameters(source))
}

/** The explicit way out: `static signature = { PUT: [1, ['command']] }`. */
export function declared(positionals: number, keywords: readonly string[] | null): Signature {
  return {
    positionals: Array.from({ length: positionals }, (_, i) => ({ name: `arg${i + 1}`, optional: false })),
    rest: null,
    keywords: keywords?.map((name) => ({ name, optional: false })) ?? null,
  }
}

/** Tokenises up to the parenthesis that closes the list, so that no body is ever parsed. */
function parameters(source: string): Pattern[] {
  let start = -1
  let depth = 0
  try {
    for (const token of tokenizer(source, SYNTAX)) {
      const text = token.type.label
      // An arrow function whose only parameter has no parentheses.
      if (text === '=>' && depth === 0) break
      if (text === '(' || text === '[' || text === '{' || text === '${') {
        if (text === '(' && depth === 0) start = token.start
        depth++
      } else if (text === ')' || text === ']' || text === '}') {
        depth--
        if (depth === 0 && start >= 0) return listOf(source.slice(start, token.end))
      }
    }
  } catch (error) {
    throw new SignatureError(`its parameters cannot be parsed (${(error as Error).message})`)
  }
  throw new SignatureError('no parameter list was found; declare `static signature`')
}

function listOf(list: string): Pattern[] {
  const arrow = parseExpressionAt(`async${list}=>0`, 0, SYNTAX)
  return arrow.type === 'ArrowFunctionExpression' ? arrow.params : []
}

function signatureOf(params: Pattern[]): Signature {
  const positionals: { name: string; optional: boolean }[] = []
  let rest: string | null = null
  let keywords: Signature['keywords'] = null
  for (const [i, param] of params.entries()) {
    const target = param.type === 'AssignmentPattern' ? param.left : param
    if (target.type === 'ObjectPattern') {
      if (i !== params.length - 1) throw new SignatureError('the object pattern (keywords) must come last')
      keywords = keysOf(target.properties)
    } else if (target.type === 'Identifier') {
      const optional = param !== target
      if (!optional && positionals.at(-1)?.optional) {
        throw new SignatureError(`"${target.name}" is required but stands behind an optional parameter`)
      }
      // An underscore marks a parameter that the method does not read; to a client it is no part of the name.
      positionals.push({ name: target.name.replace(/^_/, ''), optional })
    } else if (target.type === 'RestElement' && target.argument.type === 'Identifier') {
      rest = target.argument.name
    } else {
      throw new SignatureError(
        'only names, one object pattern or a rest of names can be filled from a request',
      )
    }
  }
  return { positionals, rest, keywords }
}

function keysOf(properties: (Pattern & { type: 'ObjectPattern' })['properties']): Signature['keywords'] {
  const keys: { name: string; optional: boolean }[] = []
  for (const property of properties) {
    if (property.type === 'RestElement') continue
    const { key } = property
    if (property.computed || (key.type !== 'Identifier' && key.type !== 'Literal')) {
      throw new SignatureError('a computed key cannot be filled from a request')
    }
    const name = key.type === 'Identifier' ? key.name : String(key.value)
    keys.push({ name, optional: property.value.type === 'AssignmentPattern' })
  }
  return keys
}
