/** Parses the parameter list of a method, which declares its arguments. Never parses the body and never calls the method. */
import { type Pattern, parseExpressionAt, tokenizer } from 'acorn'

/*
 * parameters := positional* (keywords | ...rest)?
 * positional := name | name = default        required before optional
 * keywords   := { key, key: local, key = default, ...others }
 */
/** Parameters of a method. */
export interface Signature {
  readonly positionals: readonly { readonly name: string; readonly optional: boolean }[]
  /** Name of the rest parameter, which takes all further positional arguments; null without one. */
  readonly rest: string | null
  /** Keys of the object pattern; null when the method takes no keyword arguments. */
  readonly keywords: readonly { readonly name: string; readonly optional: boolean }[] | null
}

/** Error for a parameter list outside the grammar. Its message does not name the method; the caller adds the name. */
export class SignatureError extends Error {}

/** Parser options. Defaults may use `super` and private names, because the method comes from a class body. */
const PARSER_OPTIONS = {
  ecmaVersion: 'latest',
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
} as const

/**
 * Returns the signature of a method, parsed from its source text.
 *
 * @throws {SignatureError} for native code or a parameter list outside the grammar
 */
export function reflect(method: (...args: never[]) => unknown): Signature {
  const source = Function.prototype.toString.call(method)
  if (/\{\s*\[native code\]\s*\}$/.test(source)) {
    throw new SignatureError('its source is native code (bound or wrapped); declare `static signature`')
  }
  return signatureOf(parametersOf(source))
}

/** Makes the signature that a class declares itself: `static signature = { PUT: [1, ['command']] }`. */
export function declaredSignature(positionals: number, keywords: readonly string[] | null): Signature {
  return {
    positionals: Array.from({ length: positionals }, (_, i) => ({ name: `arg${i + 1}`, optional: false })),
    rest: null,
    keywords: keywords?.map((name) => ({ name, optional: false })) ?? null,
  }
}

/** Tokenises the source up to the parenthesis that closes the parameter list, then parses the list. */
function parametersOf(source: string): Pattern[] {
  let start = -1
  let depth = 0
  try {
    for (const token of tokenizer(source, PARSER_OPTIONS)) {
      const text = token.type.label
      // An arrow function without parentheses has no list to parse.
      if (text === '=>' && depth === 0) break
      if (text === '(' || text === '[' || text === '{' || text === '${') {
        if (text === '(' && depth === 0) start = token.start
        depth++
      } else if (text === ')' || text === ']' || text === '}') {
        depth--
        if (depth === 0 && start >= 0) return parseParameterList(source.slice(start, token.end))
      }
    }
  } catch (error) {
    throw new SignatureError(`its parameters cannot be parsed (${(error as Error).message})`)
  }
  throw new SignatureError('no parameter list was found; declare `static signature`')
}

function parseParameterList(list: string): Pattern[] {
  const arrow = parseExpressionAt(`async${list}=>0`, 0, PARSER_OPTIONS)
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
        throw new SignatureError(`"${target.name}" is required but comes after an optional parameter`)
      }
      // A leading underscore marks a parameter that the method does not read. Clients see the name without it.
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
