/** Keyword arguments fit the schema: text is converted strictly, JSON is checked and never converted. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { type InjectOptions, inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

let app: App
beforeAll(async () => {
  ;({ app } = await appOf({
    'index.ts': code(`
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
          }),
        }
        POST({ ...all }) { return all }
      }`),
  }))
})

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
    [{ integer: '5' }, 'integer', 'an integer of -5 to 5'],
    [{ integer: '' }, 'integer', 'an integer of -5 to 5'],
    [{ integer: 1.5 }, 'integer', 'an integer of -5 to 5'],
    [{ integer: null }, 'integer', 'an integer of -5 to 5'],
    [{ number: '1' }, 'number', 'a number'],
    [{ boolean: 'true' }, 'boolean', 'true or false'],
    [{ boolean: 1 }, 'boolean', 'true or false'],
    [{ choice: ['up'] }, 'choice', 'one of up, down'],
    [{ list: 1 }, 'list', 'a list, each item an integer'],
    [{ list: ['1'] }, 'list.0', 'an integer'],
    [{ nullable: '1' }, 'nullable', 'an integer or null'],
    [{ object: [] }, 'object', 'a JSON object'],
    [{ object: { inner: '1' } }, 'object.inner', 'an integer'],
  ])('%j → 400', async (body, name, words) => {
    expect(await post('/typed', { body })).toBe(`400 Parameter "${name}" is not valid: expected ${words}.`)
  })

  test('a missing member of an object → 400 that names object and member', async () => {
    expect(await post('/typed', { body: { object: {} } })).toBe(
      '400 Parameter "object.inner" is missing: expected an integer.',
    )
  })
})
