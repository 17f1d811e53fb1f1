/** A thrown value becomes a response: by its status, by its code, or as a 500 that reveals nothing. */
import { describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

const CODED =
  'class Coded extends Error { constructor(code, message, more) { super(message); Object.assign(this, { code }, more) } }\n'
/** Returns a tree whose only handler runs `statement`. */
const doing = (statement: string) => ({
  'index.ts': code(`${CODED}export class Default extends Endpoint { GET() { ${statement} } }`),
})
const TABLE = {
  '_services.ts': `export const errors = {
    gone: { status: 410, when: 'it is gone' },
    busy: { status: 429, when: 'too much', headers: (error) => ({ 'retry-after': String(error.seconds) }), fields: (error) => ({ seconds: error.seconds }) },
    stranger: { status: 401, when: 'who are you' },
  }`,
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

async function answer(...args: Parameters<typeof appOf>) {
  const { app, log } = await appOf(...args)
  const { status, headers, json } = await inject(app, 'GET', '/')
  return { status, headers, body: json(), log: log.lines }
}

test.each([
  ["throw new HttpError(401, 'not shown')", 401, { error: 'Unauthorized' }],
  ["throw new HttpError(403, 'not shown', { fields: { no: 1 } })", 403, { error: 'Forbidden' }],
  ["throw new HttpError(404, 'shown')", 404, { error: 'Not Found', message: 'shown' }],
  ["throw new Coded('stranger', 'not shown')", 401, { error: 'Unauthorized' }],
])('bare errors 401 and 403: %s → %i with the reason alone', async (statement, status, body) => {
  const found = await answer({
    ...doing(statement),
    '_services.ts': `${TABLE['_services.ts']}\nexport const bareErrors = [401, 403]`,
  })
  expect([found.status, found.body]).toEqual([status, body])
})

test('bare errors: two prefixes, one declares them → the errors of the other keep their messages', async () => {
  const guard = 'export const authenticate = () => null'
  const { app } = await appOf([
    {
      'bare.ts': code(`export class Default extends Endpoint { static access = 'any'; GET() {} }`),
      '_services.ts': `export const bareErrors = [401, 403]; ${guard}`,
    },
    {
      'plain.ts': code(`
        export class Default extends Endpoint {
          static access = { GET: 'public', PUT: 'any' }
          GET() { throw new HttpError(403, 'Not on Sundays.') }
          PUT() {}
        }`),
    },
  ])
  const bodies = [
    await inject(app, 'GET', '/bare'),
    await inject(app, 'GET', '/plain'),
    await inject(app, 'PUT', '/plain'),
  ]
  expect(bodies.map((answer) => answer.json())).toEqual([
    { error: 'Unauthorized' },
    { error: 'Forbidden', message: 'Not on Sundays.' },
    { error: 'Unauthorized', message: expect.stringContaining('A valid token is required.') },
  ])
})

describe('an HttpError', () => {
  test.each([
    [
      "throw new HttpError(418, 'short and stout')",
      418,
      { error: "I'm a Teapot", message: 'short and stout' },
    ],
    [
      "throw new HttpError(409, 'twice', { fields: { id: 7 } })",
      409,
      { error: 'Conflict', message: 'twice', id: 7 },
    ],
    [
      "return Promise.reject(new HttpError(404, 'not here'))",
      404,
      { error: 'Not Found', message: 'not here' },
    ],
    ["throw new HttpError(401, 'who?')", 401, { error: 'Unauthorized', message: 'who?' }],
    [
      "throw new HttpError(403, 'no', { fields: { id: 7 } })",
      403,
      { error: 'Forbidden', message: 'no', id: 7 },
    ],
    [
      "throw new HttpError(500, 'shown on purpose')",
      500,
      { error: 'Internal Server Error', message: 'shown on purpose' },
    ],
    ["throw new HttpError(599, 'odd')", 599, { error: 'Error', message: 'odd' }],
    [
      "throw Object.assign(new HttpError(400, 'status wins'), { code: 'gone' })",
      400,
      { error: 'Bad Request', message: 'status wins' },
    ],
    [
      "throw { [Symbol.for('waybill.http-error')]: true, status: 400, message: 'of a second copy', options: {} }",
      400,
      { error: 'Bad Request', message: 'of a second copy' },
    ],
  ])('%s → %i', async (statement, status, body) => {
    const found = await answer({ ...doing(statement), ...TABLE })
    expect([found.status, found.body, found.log]).toEqual([status, body, []])
    expect(found.headers['content-type']).toBe('application/json')
  })

  test('with headers → they are sent', async () => {
    const { headers } = await answer(
      doing("throw new HttpError(503, 'later', { headers: { 'retry-after': '7' } })"),
    )
    expect(headers).toEqual({ ...HEADERS, 'retry-after': '7' })
  })

  test('401 → WWW-Authenticate names the scheme', async () => {
    const { headers } = await answer(doing("throw new HttpError(401, '')"))
    expect(headers['www-authenticate']).toBe('Bearer')
  })
})

describe('an error with a code of the table', () => {
  test('a code → status, headers and fields of the table, and the message of the error', async () => {
    expect(await answer({ ...doing("throw new Coded('gone', 'long gone')"), ...TABLE })).toMatchObject({
      status: 410,
      body: { error: 'Gone', message: 'long gone' },
      log: [],
    })
    expect(await answer({ ...doing("throw new Coded('busy', 'wait', { seconds: 3 })"), ...TABLE })).toEqual({
      status: 429,
      headers: { ...HEADERS, 'retry-after': '3' },
      body: { error: 'Too Many Requests', message: 'wait', seconds: 3 },
      log: [],
    })
    expect(await answer({ ...doing("throw new Coded('stranger', 'who')"), ...TABLE })).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized' },
    })
  })

  test('several tables have the code → its own prefix first, then the others in order', async () => {
    const thrower = doing("throw new Coded('gone', 'x')")
    const table = (status: number) => ({
      '_services.ts': `export const errors = { gone: { status: ${status}, when: '' } }`,
    })
    expect(await answer([{ ...thrower, ...table(410) }, table(411)])).toMatchObject({ status: 410 })
    expect(await answer([table(411), { ...thrower, ...table(410) }])).toMatchObject({ status: 410 })
    expect(await answer([table(411), table(412), thrower])).toMatchObject({ status: 411 })
    expect(await answer([thrower, table(411)])).toMatchObject({ status: 411 })
  })
})

describe('any other error', () => {
  test.each([
    ["throw new Error('secret')"],
    ["throw new TypeError('secret')"],
    ["return Promise.reject(new Error('secret'))"],
    ["throw new Coded('unheard-of', 'secret')"],
    ["throw new Coded('toString', 'secret')"],
    ["throw new Coded('__proto__', 'secret')"],
    ["throw new Coded(410, 'secret')"],
    ["throw { code: 'gone', message: 'secret' }"],
    ["throw 'secret'"],
    ['throw null'],
    ['throw undefined'],
    ['return Promise.reject()'],
    ['return () => "secret"'],
    ['return { secret: 1n }'],
    ['const secret = {}; secret.secret = secret; return secret'],
    ["return Symbol('secret')"],
  ])('%s → 500, logged, its text is not sent', async (statement) => {
    const { status, body, log } = await answer({ ...doing(statement), ...TABLE })
    expect([status, body]).toEqual([
      500,
      {
        error: 'Internal Server Error',
        message: 'An unexpected error occurred. The cause is in the server log.',
      },
    ])
    expect(log).toEqual([
      { level: 'error', fields: { err: log[0]?.fields.err, request: 'GET /' }, message: 'unexpected error' },
    ])
  })

  test('is logged → the error itself, with its stack', async () => {
    const { log } = await answer(doing("throw new Error('secret')"))
    const { err } = log[0]?.fields ?? {}
    expect(err).toMatchObject({ message: 'secret', stack: expect.stringContaining('index.ts') })
  })

  test('thrown by the constructor of the class → 500, logged, the next request is answered', async () => {
    const { app, log } = await appOf({
      'index.ts': code(`
        export class Broken extends Endpoint { constructor(...args) { super(...args); throw new Error('new') } GET() {} }
        export class Default extends Endpoint { GET() { return 'fine' } }`),
    })
    expect((await inject(app, 'GET', '/broken')).status).toBe(500)
    expect((await inject(app, 'GET', '/')).json()).toBe('fine')
    expect(log.lines).toHaveLength(1)
  })
})
