/** Keyword arguments fit the schema: text is converted strictly, JSON is checked and never converted. */
import { FormatRegistry } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { type InjectOptions, inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

let app: App
beforeAll(async () => {
  FormatRegistry.Set('conversion-even', (text) => text.length % 2 === 0)
  ;({ app } = await appOf({
    'index.ts': `import { File } from 'waybill'\n${code(`
      export class Typed extends Endpoint {
        static keywords = {
          POST: Type.Object({
            integer: Type.Optional(Type.Integer({ minimum: -5, maximum: 5 })),
            number: Type.Optional(Type.Number()),
            boolean: Type.Optional(Type.Boolean()),
            choice: Type.Optional(Choice(['up', 'down'])),
            list: Type.Optional(Type.Array(Type.Integer())),
            nullable: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
            either: Type.Optional(Type.Union([Type.Integer(), Type.Boolean(), Text()])),
            text: Type.Optional(Text({ minLength: 2, maxLength: 3, noControls: true })),
            object: Type.Optional(Type.Object({ inner: Type.Integer() })),
            pattern: Type.Optional(Type.String({ maxLength: 9, pattern: '^\\\\d+$' })),
            format: Type.Optional(Type.String({ format: 'conversion-even' })),
            expression: Type.Optional(Type.RegExp(/^[0-9]$/)),
            file: Type.Optional(File()),
          }),
        }
        POST({ ...all }) { return all }
      }`)}`,
  }))
})

afterAll(() => FormatRegistry.Delete('conversion-even'))

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Returns the arguments of the handler, or the status and the message. */
async function post(target: string, options: InjectOptions = {}): Promise<unknown> {
  const { status, json } = await inject(app, 'POST', target, options)
  return status === 200 ? json() : `${status} ${(json() as { message: string }).message}`
}

describe('text', () => {
  test.each([
    ['integer=5', { integer: 5 }],
    ['integer=-5', { integer: -5 }],
    ['number=1.50', { number: 1.5 }],
    ['number=-2e3', { number: -2000 }],
    ['boolean=true', { boolean: true }],
    ['boolean=false', { boolean: false }],
    ['choice=down', { choice: 'down' }],
    ['list=1', { list: [1] }],
    ['list=1&list=2', { list: [1, 2] }],
    ['nullable=7', { nullable: 7 }],
    ['either=7', { either: 7 }],
    ['either=true', { either: true }],
    ['either=x', { either: 'x' }],
    ['unknown=7', { unknown: '7' }],
  ])('%s → %j', async (text, expected) => {
    expect(await post(`/typed?${text}`)).toEqual(expected)
    expect(await post('/typed', { headers: FORM, body: text })).toEqual(expected)
  })

  const INTEGER = 'expected an integer of -5 to 5.'
  test.each([
    ['integer=6', INTEGER],
    ['integer=1.0', INTEGER],
    ['integer=1e0', INTEGER],
    ['integer=0x1', INTEGER],
    ['integer=%201', INTEGER],
    ['integer=1%0A', INTEGER],
    ['integer=%2B1', INTEGER],
    ['integer', INTEGER],
    ['integer=&integer=2', 'expected an integer of -5 to 5.'],
    ['integer=1&integer=2', INTEGER],
    ['number=.5', 'expected a number.'],
    ['number=5.', 'expected a number.'],
    ['number=1e400', 'expected a number.'],
    ['number=NaN', 'expected a number.'],
    ['number=Infinity', 'expected a number.'],
    ['boolean=1', 'expected true or false.'],
    ['boolean=TRUE', 'expected true or false.'],
    ['boolean', 'expected true or false.'],
    ['choice=UP', 'expected one of up, down.'],
    ['choice=toString', 'expected one of up, down.'],
    ['nullable=null', 'expected an integer or null.'],
    ['text=a', 'expected a string of 2 to 3 characters without control characters.'],
    ['text=abcd', 'expected a string of 2 to 3 characters without control characters.'],
    ['text=a%00', 'expected a string of 2 to 3 characters without control characters.'],
    ['object=%7B%22inner%22:1%7D', 'expected a JSON object.'],
    ['pattern=abc', 'expected a string of at most 9 characters like ^\\d+$.'],
    ['format=123', 'expected a string of format conversion-even.'],
  ])('%s → 400: %s', async (text, expected) => {
    const name = text.split('=')[0]
    expect(await post(`/typed?${text}`)).toBe(`400 Parameter "${name}" is not valid: ${expected}`)
    expect(await post('/typed', { headers: FORM, body: text })).toBe(
      `400 Parameter "${name}" is not valid: ${expected}`,
    )
  })

  test.each([
    ['integer=', {}],
    ['number=', {}],
    ['boolean=', {}],
    ['choice=', {}],
    ['list=', {}],
    ['nullable=', {}],
    ['text=', {}],
    ['integer=&boolean=&choice=up', { choice: 'up' }],
    ['either=', { either: '' }],
    ['unknown=', { unknown: '' }],
  ])('%s: an empty value that does not fit → not given', async (text, expected) => {
    expect(await post(`/typed?${text}`)).toEqual(expected)
    expect(await post('/typed', { headers: FORM, body: text })).toEqual(expected)
    const parts = text
      .split('&')
      .map((pair) => pair.split('='))
      .map(([name, value]) => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    const headers = { 'content-type': 'multipart/form-data; boundary=X' }
    expect(await post('/typed', { headers, body: `${parts.join('')}--X--` })).toEqual(expected)
  })

  test('an empty value in a form, another in the query → the one of the query', async () => {
    expect(await post('/typed?integer=3', { headers: FORM, body: 'integer=' })).toEqual({ integer: 3 })
  })

  test('a wrong item of a list → 400 that names its place', async () => {
    expect(await post('/typed?list=1&list=x')).toBe(
      '400 Parameter "list.1" is not valid: expected an integer.',
    )
  })
})

describe('JSON', () => {
  test.each([
    [
      {
        integer: 5,
        number: 0.5,
        boolean: true,
        choice: 'up',
        list: [1],
        nullable: null,
        either: '7',
        text: 'abc',
        object: { inner: 1 },
      },
    ],
    [{ unknown: { any: ['thing'] } }],
  ])('%j → unchanged', async (body) => {
    expect(await post('/typed', { body })).toEqual(body)
  })

  test.each([
    [{ integer: '5' }, 'integer', 'an integer of -5 to 5, not a string'],
    [{ integer: '' }, 'integer', 'an integer of -5 to 5, not a string'],
    [{ integer: 6 }, 'integer', 'an integer of -5 to 5'],
    [{ integer: 1.5 }, 'integer', 'an integer of -5 to 5'],
    [{ integer: null }, 'integer', 'an integer of -5 to 5, not null'],
    [{ number: '1' }, 'number', 'a number, not a string'],
    [{ boolean: 'true' }, 'boolean', 'true or false, not a string'],
    [{ boolean: 1 }, 'boolean', 'true or false, not a number'],
    [{ choice: ['up'] }, 'choice', 'one of up, down, not a list'],
    [{ choice: 'left' }, 'choice', 'one of up, down'],
    [{ list: 1 }, 'list', 'a list, each item an integer, not a number'],
    [{ list: ['1'] }, 'list.0', 'an integer, not a string'],
    [{ nullable: '1' }, 'nullable', 'an integer or null, not a string'],
    [{ nullable: true }, 'nullable', 'an integer or null, not true'],
    [{ object: [] }, 'object', 'a JSON object, not a list'],
    [{ object: { inner: '1' } }, 'object.inner', 'an integer, not a string'],
    [{ text: 7 }, 'text', 'a string of 2 to 3 characters without control characters, not a number'],
    [{ text: 'abcd' }, 'text', 'a string of 2 to 3 characters without control characters'],
    [{ pattern: 'abc' }, 'pattern', 'a string of at most 9 characters like ^\\d+$'],
    [{ pattern: {} }, 'pattern', 'a string of at most 9 characters like ^\\d+$, not a JSON object'],
    [{ format: 'x' }, 'format', 'a string of format conversion-even'],
    [{ expression: 'x' }, 'expression', 'a string like ^[0-9]$'],
    [{ file: 'x' }, 'file', 'a file of a multipart form, not a string'],
  ])('%j → 400', async (body, name, words) => {
    expect(await post('/typed', { body })).toBe(`400 Parameter "${name}" is not valid: expected ${words}.`)
  })

  test('a missing member of an object → 400 that names object and member', async () => {
    expect(await post('/typed', { body: { object: {} } })).toBe(
      '400 Parameter "object.inner" is missing: expected an integer.',
    )
  })
})
