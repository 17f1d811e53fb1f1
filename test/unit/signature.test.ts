/** The parameter list of a method is read for the values that a request must fill, in every legal notation. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are text here
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { reflect, type Signature, SignatureError } from '../../src/web/signature.ts'
import { runs } from '../_support/runs.ts'
import { appOf, code } from '../_support/trees.ts'

type Method = (...args: never[]) => unknown

/** Returns the method GET of a class with this text as body. Text prevents that a tool rewrites the source. */
function methodOf(body: string): Method {
  return new Function(`return class extends Object { ${body} }.prototype.GET`)() as Method
}

/** Prints a signature as `(a, b?, ...rest, {key, key?})`. */
function inWords({ positionals, rest, keywords }: Signature): string {
  const names = (list: Signature['positionals']) =>
    list.map(({ name, optional }) => name + (optional ? '?' : ''))
  const parts = names(positionals)
  if (rest !== null) parts.push(`...${rest}`)
  if (keywords !== null) parts.push(`{${names(keywords).join(', ')}}`)
  return `(${parts.join(', ')})`
}

const reflected = (body: string): string => inWords(reflect(methodOf(body)))

test.each([
  ['GET() {}', '()'],
  ['GET(a, b) {}', '(a, b)'],
  ['GET(a, b = 1) {}', '(a, b?)'],
  ['GET(...rest) {}', '(...rest)'],
  ['GET(a, b = 1, ...rest) {}', '(a, b?, ...rest)'],
  ['GET({ x }) {}', '({x})'],
  ['GET({}) {}', '({})'],
  ['GET(a, { x, y = 1 }) {}', '(a, {x, y?})'],
  ['GET(a, { x } = {}) {}', '(a, {x})'],
  ['GET(_a, __b, $c, ünder) {}', '(a, _b, $c, ünder)'],
  ['GET(a, b,) {}', '(a, b)'],
])('parameter list: %s → %s', (body, expected) => {
  expect(reflected(body)).toBe(expected)
})

describe('kind of method', () => {
  test.each([
    ['async GET(a) {}', '(a)'],
    ['*GET(a) {}', '(a)'],
    ['async *GET(a) {}', '(a)'],
    ['async\n/* ( */ * // (\nGET /* ( */ (a) {}', '(a)'],
    ["'GET'(a) {}", '(a)'],
    ["['GET'](a) {}", '(a)'],
    ["[(() => 'GET')()](a) {}", '(a)'],
    ['static { this.prototype.GET = function (a) {} }', '(a)'],
    ['static { this.prototype.GET = async function* named(a) {} }', '(a)'],
    ['static { this.prototype.GET = (a, { b }) => [a, b] }', '(a, {b})'],
    ['static { this.prototype.GET = async (a) => a }', '(a)'],
    ['GET(a) { return /[(]/.test(a) && `${(b) => b}` }', '(a)'],
    ['#secret = 1\nGET(a) { return #secret in a && this.#secret }', '(a)'],
  ])('%s → %s', (body, expected) => {
    expect(reflected(body)).toBe(expected)
  })

  test('the body has unknown syntax → not read', () => {
    const method = Object.assign(() => {}, { toString: () => '' })
    const source = Function.prototype.toString
    try {
      Function.prototype.toString = () => 'GET(a, { b }) { a |> b; @@ }'
      expect(inWords(reflect(method))).toBe('(a, {b})')
    } finally {
      Function.prototype.toString = source
    }
  })
})

describe('default value', () => {
  test.each([
    ["'('"],
    ["')'"],
    ["'\\')'"],
    ['")}],"'],
    ['`)${")"}) ${`}${1})`}`'],
    ['/[)/]\\)/g'],
    ['4 / 2 / 1'],
    ['(1, (2))'],
    ['[1, [2, ")"]]'],
    ['{ b: { c: ")" }, d() { return ")" } }'],
    ['(b, c = (1)) => { return ")" }'],
    ['function (b, { c }) { return `)` }'],
    ['class { b(c) { return /\\)/ } }'],
    ['new Map([[1, 2]]).get(1)'],
    ['b ? (c) : (d)'],
    ['this.services.b()'],
    ['super.b'],
    ['1_000n ** 2n ?? undefined?.b'],
  ])('%s → optional', (value) => {
    expect(reflected(`GET(a = ${value}, z = 1) {}`)).toBe('(a?, z?)')
    expect(reflected(`GET(a = ${value}, { x = ${value}, y }) {}`)).toBe('(a?, {x?, y})')
    expect(reflected(`async GET({ x, y } = ${value}) {}`)).toBe('({x, y})')
  })

  test('a private name → optional', () => {
    expect(reflected('#b = 1; GET(a = this.#b) {}')).toBe('(a?)')
  })
})

describe('comment in the list', () => {
  test.each([
    ['GET(/* a) */ a /* , x */, // b) {\n b) {}', '(a, b)'],
    ['GET(a /* = 1 */, b = /* ) */ 1) {}', '(a, b?)'],
    ['GET({ /* x, */ y, // z }\n }) {}', '({y})'],
    ['GET(/* nothing */) {}', '()'],
  ])('%s → %s', (body, expected) => {
    expect(reflected(body)).toBe(expected)
  })
})

describe('keys of the pattern', () => {
  test.each([
    ['a renamed key', '{ wire: local, other: { b } , more: [c] }', '{wire, other, more}'],
    ['a renamed key with a default', '{ wire: local = 1 }', '{wire?}'],
    ['a key that is no name', "{ 'a-b': c, 'd e': f = 1, 7: g }", '{a-b, d e?, 7}'],
    ['a reserved word', '{ default: d, class: c = 1 }', '{default, class?}'],
    ['all others', '{ a, ...others }', '{a}'],
    ['only all others', '{ ...others }', '{}'],
    ['escapes', "{ \\u0061b, 'c\\u0064': e }", '{ab, cd}'],
  ])('%s: %s → %s', (_what, pattern, expected) => {
    expect(reflected(`GET(${pattern}) {}`)).toBe(`(${expected})`)
  })
})

test('an arrow function: without parentheses → cannot be read', () => {
  const body = 'static { this.prototype.GET = a => f(b, c) }'
  expect(() => reflect(methodOf(body))).toThrow(SignatureError)
  expect(() => reflect(methodOf(body.replace('a =>', 'async a =>')))).toThrow(SignatureError)
})

describe('static signature', () => {
  test('a list that cannot be read → the static signature counts', async () => {
    const { status, json } = await inject(await appWith("[2, ['x']]"), 'GET', '/foo/1/2?x=3&y=4')
    expect([status, json()]).toEqual([200, ['1', '2', { x: '3', y: '4' }]])
    expect((await inject(await appWith("[2, ['x']]"), 'GET', '/foo/1?x=3')).status).toBe(404)
    expect((await inject(await appWith("[2, ['x']]"), 'GET', '/foo/1/2')).json()).toEqual({
      error: 'Bad Request',
      message: 'Parameter "x" is missing.',
    })
  })

  test('no list of names → no keywords', async () => {
    expect((await inject(await appWith('[1]'), 'GET', '/foo/1?x=3')).json()).toEqual(['1'])
    expect((await inject(await appWith('[0, []]'), 'GET', '/foo?x=3')).json()).toEqual([{ x: '3' }])
  })
})

async function appWith(signature: string) {
  const { app } = await appOf({
    'index.ts': code(`export class Foo extends Endpoint {
      static signature = { GET: ${signature} }
      static { this.prototype.GET = function (...all) { return all }.bind(null) }
    }`),
  })
  return app
}

describe('random parameter lists', () => {
  const LETTERS = [...'abcdefgXYZ$']
  const name = fc
    .tuple(
      fc.constantFrom(...LETTERS),
      fc.string({ unit: fc.constantFrom(...LETTERS, '0', '_'), maxLength: 5 }),
    )
    .map(([head, tail]) => `p${head}${tail}`)
  const value = fc.constantFrom(
    '1',
    "')'",
    '`${")"}(`',
    '/[)]/',
    '[{}, ")"]',
    '{ a: { b: 1 } }',
    '(x, y) => (x)',
    'null',
  )
  const space = fc.constantFrom('', ' ', '\n', ' /* ) } ] */ ', ' // ( { [\n')
  const optional = fc.option(value, { nil: null })
  const key = fc.record({
    name,
    local: fc.option(name, { nil: null }),
    quoted: fc.boolean(),
    value: optional,
  })
  const list = fc
    .record({
      names: fc.uniqueArray(name, { maxLength: 16 }),
      required: fc.nat(4),
      defaults: fc.array(value, { maxLength: 3 }),
      tail: fc.constantFrom('none', 'rest', 'keywords', 'keywords with a default'),
      keys: fc.uniqueArray(key, { maxLength: 4, selector: (each) => each.name }),
      others: fc.boolean(),
      gap: space,
      kind: fc.constantFrom('', 'async ', '*', 'async *'),
    })
    .map(printed)

  test('printed as source → read as made', () => {
    fc.assert(
      fc.property(list, ({ source, signature }) => {
        const { positionals, rest, keywords } = reflect(methodOf(source))
        const named = (list: Signature['positionals']) =>
          list.map(({ name, optional }) => ({ name, optional }))
        expect({ positionals: named(positionals), rest, keywords: keywords && named(keywords) }).toEqual(
          signature,
        )
      }),
      { numRuns: runs(100) },
    )
  })

  interface Made {
    readonly names: readonly string[]
    readonly required: number
    readonly defaults: readonly string[]
    readonly tail: string
    readonly keys: readonly { name: string; local: string | null; quoted: boolean; value: string | null }[]
    readonly others: boolean
    readonly gap: string
    readonly kind: string
  }

  /** Prints a list as source. Locals of a pattern have an ending of their own, since a name may stand in a list once. */
  function printed({ names, required, defaults, tail, keys, others, gap, kind }: Made) {
    const needed = names.slice(0, required)
    const extra = names.slice(required, required + defaults.length)
    const parts = [...needed, ...extra.map((each, i) => `${each}${gap}=${gap}${defaults[i]}`)]
    const withKeywords = tail.startsWith('keywords')
    if (tail === 'rest') parts.push(`...${gap}rest`)
    if (withKeywords) {
      const members = keys.map((each, i) => {
        const label = each.quoted ? `'${each.name}'` : each.name
        return `${label}:${gap}l${each.local ?? ''}_${i}${each.value === null ? '' : ` = ${each.value}`}`
      })
      if (others) members.push('...others_')
      parts.push(`{${gap}${members.join(`,${gap}`)}${gap}}${tail === 'keywords' ? '' : ' = {}'}`)
    }
    const signature = {
      positionals: [
        ...needed.map((each) => ({ name: each, optional: false })),
        ...extra.map((each) => ({ name: each, optional: true })),
      ],
      rest: tail === 'rest' ? 'rest' : null,
      keywords: withKeywords
        ? keys.map((each) => ({ name: each.name, optional: each.value !== null }))
        : null,
    }
    return { source: `${kind}GET${gap}(${gap}${parts.join(`${gap},${gap}`)}${gap}) {}`, signature }
  }
})
