/**
 * Parses the parameter list of a method, which declares its arguments. Neither parses the body nor calls the method.
 */
import { type Expression, type Pattern, parseExpressionAt, tokenizer } from 'acorn'

/*
 * parameters := positional* (keywords | ...rest)?
 * positional := name | name = default        required before optional
 * keywords   := { key, key: local, key = default, ...others }
 */
interface Parameter {
  readonly name: string
  readonly optional: boolean
  /** Source of a default that is a number, boolean or list; null for any other default or none. */
  readonly nonText: string | null
}

export interface Signature {
  readonly positionals: readonly Parameter[]
  /** Name of the rest parameter, which takes all further positional arguments; null without one. */
  readonly rest: string | null
  /** Keys of the object pattern; null when the method takes no keyword arguments. */
  readonly keywords: readonly Parameter[] | null
}

/** Error for a parameter list outside the supported grammar. The caller adds the name of the method to its message. */
export class SignatureError extends Error {}

/** Parser options. Defaults may use `super` and private names, because the method comes from a class body. */
const PARSER_OPTIONS = {
  ecmaVersion: 'latest',
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
} as const

/**
 * Parses the signature of a method from its source text.
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

/** Creates the signature that a class declares itself: `static signature = { PUT: [1, ['command']] }`. */
export function declaredSignature(positionals: number, keywords: readonly string[] | null): Signature {
  return {
    positionals: Array.from({ length: positionals }, (_, i) => requiredParameter(`arg${i + 1}`)),
    rest: null,
    keywords: keywords?.map(requiredParameter) ?? null,
  }
}

const requiredParameter = (name: string): Parameter => ({ name, optional: false, nonText: null })

/** Tokenises the source up to the parenthesis that closes the parameter list, then parses the list. */
function parametersOf(source: string): ParameterList {
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

interface ParameterList {
  readonly params: Pattern[]
  readonly text: string
}

function parseParameterList(list: string): ParameterList {
  const text = `async${list}=>0`
  const arrow = parseExpressionAt(text, 0, PARSER_OPTIONS)
  return { params: arrow.type === 'ArrowFunctionExpression' ? arrow.params : [], text }
}

/** Returns the source of a parameter's default if it is a number, boolean or list; else null. */
function nonTextDefault(param: Pattern, text: string): string | null {
  return param.type === 'AssignmentPattern' && isNonText(param.right)
    ? text.slice(param.right.start, param.right.end)
    : null
}

function isNonText(value: Expression): boolean {
  if (value.type === 'UnaryExpression') return value.operator === '!' || isNonText(value.argument)
  if (value.type !== 'Literal') return value.type === 'ArrayExpression'
  return ['number', 'bigint', 'boolean'].includes(typeof value.value)
}

function signatureOf({ params, text }: ParameterList): Signature {
  const positionals: Parameter[] = []
  let rest: string | null = null
  let keywords: Signature['keywords'] = null
  for (const [i, param] of params.entries()) {
    const target = param.type === 'AssignmentPattern' ? param.left : param
    if (target.type === 'ObjectPattern') {
      if (i !== params.length - 1) throw new SignatureError('the object pattern (keywords) must come last')
      keywords = keysOf(target.properties, text)
    } else if (target.type === 'Identifier') {
      const optional = param !== target
      if (!optional && positionals.at(-1)?.optional) {
        throw new SignatureError(`"${target.name}" is required but comes after an optional parameter`)
      }
      // A leading underscore marks a parameter that the method does not read. Clients see the name without it.
      const name = target.name.replace(/^_/, '')
      positionals.push({ name, optional, nonText: nonTextDefault(param, text) })
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

function keysOf(
  properties: (Pattern & { type: 'ObjectPattern' })['properties'],
  text: string,
): Signature['keywords'] {
  const keys: Parameter[] = []
  for (const property of properties) {
    if (property.type === 'RestElement') continue
    const { key } = property
    if (property.computed || (key.type !== 'Identifier' && key.type !== 'Literal')) {
      throw new SignatureError('a computed key cannot be filled from a request')
    }
    const name = key.type === 'Identifier' ? key.name : String(key.value)
    const optional = property.value.type === 'AssignmentPattern'
    keys.push({ name, optional, nonText: nonTextDefault(property.value, text) })
  }
  return keys
}
