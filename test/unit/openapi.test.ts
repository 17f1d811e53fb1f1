/** The OpenAPI description of a tree, class by class. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import type { ApiInfo } from '../../src/web/api-info.ts'
import { inject } from '../../src/web/inject.ts'
import type { ApiDescription } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { appOf, code, type Files, writeTree } from '../_support/trees.ts'

async function described(files: Files | readonly Files[], info?: ApiInfo): Promise<ApiDescription> {
  const { app } = await appOf(files, { info })
  const description = app.describe()
  expect(await new Validator().validate(structuredClone(description) as never)).toEqual({ valid: true })
  return description
}

/** Returns a line `METHOD path` for each operation. */
function lines({ paths }: ApiDescription): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

test('paths: methods with several numbers of arguments → one for each number, in the spelling of the class', async () => {
  const description = await described({
    'index.ts': code('export class Default extends Endpoint { GET() {} }'),
    'a/b.ts': code(`
      export class GetThing extends Endpoint { GET(id, part = 'all') {} PUT(thing, { name }) {} }
      export class Files_txt extends Endpoint { GET(...path) {} }
      export class Outer extends Endpoint { static Inner = class extends Endpoint { DELETE() {} } }
      export class Stop extends Endpoint { static member = 1; POST(id) {} }
      export class All extends Endpoint { ANY() {} GET(id) {} }`),
  })
  expect(lines(description)).toEqual([
    'GET /',
    'GET /a/b/getThing/{id}',
    'PUT /a/b/getThing/{id}',
    'GET /a/b/getThing/{id}/{part}',
    'GET /a/b/files.txt',
    'GET /a/b/files.txt/{path}',
    'DELETE /a/b/outer/inner',
    'POST /a/b/{id}/stop',
    'PUT /a/b/all',
    'POST /a/b/all',
    'DELETE /a/b/all',
    'PATCH /a/b/all',
    'GET /a/b/all/{id}',
  ])
  const ids = Object.values(description.paths).flatMap((item) =>
    Object.values(item).map((each) => each.operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('paths: an earlier prefix hides a class → the class is left out', async () => {
  const description = await described([
    { 'a.ts': code('export class Thing extends Endpoint { GET() {} }') },
    {
      'a.ts': code(
        'export class Thing extends Endpoint { GET() {} PUT() {} } export class Other extends Endpoint { GET() {} }',
      ),
    },
  ])
  expect(lines(description)).toEqual(['GET /a/thing', 'GET /a/other'])
})

test('parameters and bodies: with a schema → from it; without → from the signature', async () => {
  const { paths, components } = await described({
    'index.ts': code(`
      const Size = Choice(['S', 'L'], { title: 'Size' })
      export class Shirt extends Endpoint {
        static positionals = { GET: [Type.Integer({ minimum: 1 })] }
        static keywords = {
          GET: Type.Object({ size: Type.Optional(Type.Union([Size, Type.Null()])), tags: Type.Array(Type.String(), { default: [] }) }),
          POST: Type.Object({ size: Size, name: Text({ noControls: true }), count: Type.Integer({ default: 1 }) }, { title: 'Shirt' }),
        }
        GET(id, { size, tags }) {}
        POST({ size, name, count }) {}
        PUT({ size, fit = 'slim' }) {}
      }`),
  })
  expect(paths['/shirt/{id}']?.get?.parameters).toEqual([
    { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
    { name: 'size', in: 'query', required: false, schema: { $ref: '#/components/schemas/Size' } },
    {
      name: 'tags',
      in: 'query',
      required: false,
      schema: { type: 'array', items: { type: 'string' }, default: [] },
    },
  ])
  expect(paths['/shirt']?.post?.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Shirt' } } },
  })
  expect(components.schemas.Shirt).toMatchObject({
    required: ['size', 'name'],
    properties: {
      size: { $ref: '#/components/schemas/Size' },
      name: { type: 'string', pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$' },
    },
  })
  expect(paths['/shirt']?.put?.requestBody?.content['application/json']?.schema).toEqual({
    type: 'object',
    required: ['size'],
    properties: { size: {}, fit: {} },
  })
})

test('query: a list with commas → explode false; no schema → a text, or a list of texts', async () => {
  const { paths } = await described({
    'index.ts': code(`
      const List = Type.Array(Type.Integer(), { comma: true })
      export class Shirt extends Endpoint {
        static keywords = { GET: Type.Object({ ids: List, more: Type.Optional(Type.Union([List, Type.Null()])) }) }
        GET({ ids, more }) {}
      }
      export class Plain extends Endpoint { GET(id, { tags, sort = 'name' }) {} }`),
  })
  const commas = { style: 'form', explode: false, schema: { type: 'array', items: { type: 'integer' } } }
  expect(paths['/shirt']?.get?.parameters).toEqual([
    { name: 'ids', in: 'query', required: true, ...commas },
    { name: 'more', in: 'query', required: false, ...commas },
  ])
  const texts = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
  expect(paths['/plain/{id}']?.get?.parameters).toEqual([
    { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
    { name: 'tags', in: 'query', required: true, schema: texts },
    { name: 'sort', in: 'query', required: false, schema: texts },
  ])
})

test('schemas: two with one title → both, the second with a number', async () => {
  const { components } = await described({
    'a.ts': code(`const Thing = Type.Object({ a: Type.String() }, { title: 'Thing' })
      export class Same extends Endpoint { static responses = { GET: Thing, PUT: Thing }; GET() {} PUT() {} }`),
    'b.ts': code(`const Thing = Type.Object({ b: Type.String() }, { title: 'Thing' })
      export class Other extends Endpoint { static responses = { GET: Thing }; GET() {} }`),
  })
  expect(Object.keys(components.schemas).filter((name) => name.startsWith('Thing'))).toEqual([
    'Thing',
    'Thing2',
  ])
})

const GUARDED = {
  '_services.ts': `export const authenticate = () => null
    export const errors = { 'no-paint': { status: 409, when: 'the paint is used up' }, dried: { status: 409, when: 'it has dried' } }`,
  'index.ts': code(`
    export class Wall extends Endpoint {
      static access = 'PAINTER'
      static summary = { PUT: 'Paints a wall' }
      static responses = { PUT: { 201: Type.Object({ id: Type.Integer() }), 202: null } }
      static errors = { PUT: ['no-paint', 'dried'] }
      PUT(id) {}
      DELETE(id) {}
    }
    export class Color extends Endpoint { static access = 'public'; static summary = 'The color'; GET() {} }
    export class Stream extends Endpoint {
      static responses = { GET: Type.String({ contentMediaType: 'text/event-stream' }) }
      GET() {}
    }`),
}

test('responses: of an async generator → one line of NDJSON, or text; undeclared → no type; a union of media types → each', async () => {
  const { paths } = await described({
    'index.ts': code(`
      export class Rows extends Endpoint {
        static responses = { GET: Type.Object({ id: Type.Integer() }) }
        async *GET() {}
      }
      export class Words extends Endpoint { static responses = { GET: Type.String() }; async *GET() {} }
      export class Feed_xml extends Endpoint { static responses = { GET: Type.String() }; async *GET() {} }
      export class File extends Endpoint {
        static responses = { GET: Type.Union(['text/csv', 'image/png'].map((contentMediaType) => Type.String({ contentMediaType }))) }
        GET() {}
      }
      export class Any extends Endpoint { async *GET() {} }`),
  })
  const content = (path: string, status: string) => paths[path]?.get?.responses[status]?.content
  expect(content('/rows', '200')).toMatchObject({
    'application/x-ndjson': { schema: { type: 'object', required: ['id'] } },
  })
  expect(content('/words', '200')).toHaveProperty(['text/plain; charset=utf-8'])
  expect(Object.keys(content('/file', '200') ?? {})).toEqual(['text/csv', 'image/png'])
  expect(content('/feed.xml', '200')).toHaveProperty(['application/xml'])
  expect([paths['/any']?.get?.responses['2XX'], content('/any', '2XX')]).toEqual([
    { description: 'result of the handler' },
    undefined,
  ])
})

test('access: static access → the scheme, the role in words, 401 and 403', async () => {
  const { paths, components } = await described(GUARDED)
  const wall = paths['/wall/{id}']?.put
  expect(components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } })
  expect(wall?.security).toEqual([{ bearer: [] }])
  expect(wall?.description).toBe('Needs a token with the role PAINTER.')
  expect(Object.keys(wall?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403']))
  expect(wall?.responses[401]?.headers).toEqual({
    'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } },
  })
  expect(paths['/stream']?.get?.security).toEqual([{ bearer: [] }])
  expect(paths['/stream']?.get?.description).toBe('Needs a valid token.')
  expect(Object.keys(paths['/stream']?.get?.responses ?? {})).not.toContain('403')
  expect(paths['/color']?.get?.security).toEqual([])
  expect(paths['/color']?.get?.description).toBe('Needs no token.')
  expect(Object.keys(paths['/color']?.get?.responses ?? {})).not.toContain('401')
})

test('summary, responses, errors: as static members and a table → described', async () => {
  const { paths } = await described(GUARDED)
  const wall = paths['/wall/{id}']
  expect(wall?.put?.summary).toBe('Paints a wall')
  expect(wall?.delete?.summary).toBe(undefined)
  expect(paths['/color']?.get?.summary).toBe('The color')
  expect(Object.keys(wall?.put?.responses ?? {})).toEqual([
    '201',
    '202',
    '400',
    '401',
    '403',
    '409',
    '500',
    '503',
  ])
  expect(wall?.put?.responses[202]).toEqual({ description: 'Accepted' })
  expect(wall?.put?.responses[409]?.description).toBe('the paint is used up; it has dried')
  expect(Object.keys(wall?.delete?.responses ?? {})).toEqual(expect.arrayContaining(['2XX', 'default']))
  expect(Object.keys(paths['/stream']?.get?.responses[200]?.content ?? {})).toEqual(['text/event-stream'])
})

test('static members: of a missing method, or of an unknown error → the start is refused', async () => {
  const tree = writeTree({
    'a.ts': code(`export class Thing extends Endpoint {
      static responses = { POST: Type.String() }
      static summary = { PUT: 'Puts' }
      static operationId = { GET: 'get it', DELETE: 'deleteIt' }
      static errors = { GET: ['unheard-of'] }
      static described = 0
      GET() {}
    }`),
  })
  const where = `${tree}/a.ts: class Thing`
  await expect(readSite([tree])).rejects.toThrow(
    [
      `${where}: static described must be true or false`,
      `${where}, GET: static operationId has "get it". Use letters, digits and _, as in a name of a function`,
      `${where}, DELETE: static operationId names it, but there is no such method`,
      `${where}, PUT: static summary names it, but there is no such method`,
      `${where}, POST: static responses names it, but there is no such method`,
      `${where}, GET: static errors has "unheard-of", which is in no table of errors`,
    ].join('\n'),
  )
})

test('title and version: given by the program → in the description, which handlers can read', async () => {
  const info = { title: 'Paint shop', version: '3.1' }
  const { app } = await appOf(
    {
      '_services.ts': 'export const open = ({ describe }) => ({ describe })',
      'index.ts': code('export class Docs extends Endpoint { GET() { return this.services.describe() } }'),
    },
    { info },
  )
  const answer = await inject(app, 'GET', '/docs')
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(app.describe())))
  expect(answer.json()).toMatchObject({ openapi: '3.1.0', info })
})

test('reply headers and error fields: as static members and a table → described', async () => {
  const { paths } = await described({
    '_services.ts': `import { Type } from 'waybill'
      const gives = { headers: { 'Retry-After': Type.Integer() }, fields: { left: Type.Integer() } }
      export const errors = {
        wet: { status: 409, when: 'it is wet', gives },
        gone: { status: 409, when: 'it is gone' },
      }`,
    'wall.ts': code(`export class Default extends Endpoint {
      static responses = { PUT: { 201: Type.String(), 204: null, 404: Type.String() } }
      static replyHeaders = { PUT: { Location: Type.String({ description: 'where it is' }) } }
      static errors = { PUT: ['wet', 'gone'], GET: ['wet'] }
      PUT() {}
      GET() {}
    }`),
  })
  const location = { Location: { description: 'where it is', schema: { type: 'string' } } }
  const put = paths['/wall']?.put?.responses ?? {}
  expect([put[201]?.headers, put[204]?.headers, put[404]?.headers]).toEqual([location, location, undefined])
  expect(put[409]?.headers).toEqual({ 'Retry-After': { schema: { type: 'integer' } } })
  const schema = (status: 409, method: 'get' | 'put') =>
    paths['/wall']?.[method]?.responses[status]?.content?.['application/json']?.schema
  expect(schema(409, 'put')).toMatchObject({
    properties: { left: { type: 'integer' } },
    required: ['error', 'message'],
  })
  expect(schema(409, 'get')).toMatchObject({ required: ['error', 'message', 'left'] })
})

test('list and item: two classes of one module → two operations, each with one shape', async () => {
  const { paths } = await described({
    'jobs.ts': code(`
      const Job = Type.Object({ id: Type.Integer() }, { title: 'Job' })
      export class Default extends Endpoint {
        static keywords = { GET: Type.Object({ limit: Type.Integer({ default: 10 }) }) }
        static responses = { GET: Type.Array(Job) }
        GET({ limit }) {}
      }
      export class OneJob extends Endpoint {
        static segment = false
        static positionals = { GET: [Type.Integer()] }
        static responses = { GET: Job }
        GET(id) {}
      }`),
  })
  const shapes = Object.entries(paths).map(([path, { get }]) => [
    path,
    (get?.parameters ?? []).map(({ name }) => name),
    get?.responses[200]?.content?.['application/json']?.schema,
  ])
  const job = { $ref: '#/components/schemas/Job' }
  expect(shapes).toEqual([
    ['/jobs', ['limit'], { type: 'array', items: job }],
    ['/jobs/{id}', ['id'], job],
  ])
})

test('operationId: declared, derived and twice the same → unique names of functions', async () => {
  const { paths } = await described({
    'a-b.ts': code(`
      export class Default extends Endpoint { static operationId = { GET: 'listThings' }; GET() {} POST() {} }
      export class Part extends Endpoint { static member = 1; PUT(id) {} }`),
    'a/b.ts': code('export class Default extends Endpoint { POST() {} }'),
    'c.ts': code(
      `export class Default extends Endpoint { static operationId = { GET: 'listThings' }; GET(page = 1) {} }`,
    ),
  })
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map((each) => each.operationId))
  expect(ids).toEqual(['listThings', 'postAB', 'putABByIdPart', 'listThings2', 'listThings3', 'postAB2'])
})

test('tags: export of a module → its operations; none → the path of the module', async () => {
  const { paths, tags } = await described({
    'a/b.ts': code(`export const tag = { name: 'Paint', description: 'Colors and walls' }
      export class Wall extends Endpoint { GET() {} static Side = class extends Endpoint { GET() {} } }`),
    'a/c.ts': code('export class Other extends Endpoint { GET() {} }'),
  })
  expect(paths['/a/b/wall/side']?.get?.tags).toEqual(['Paint'])
  expect(tags).toEqual([{ name: 'Paint', description: 'Colors and walls' }, { name: 'a/c' }])
  for (const wrong of ["'Paint'", "{ name: 'Paint' }", "{ name: '', description: 'x' }"]) {
    const tree = writeTree({ 'a.ts': code(`export const tag = ${wrong}`) })
    await expect(readSite([tree])).rejects.toThrow(
      `${tree}/a.ts: tag must be { name, description }, two texts`,
    )
  }
})

test('static described: false → served, but not described', async () => {
  const files = {
    'index.ts': code(
      `export class Page extends Endpoint { static described = false; GET() { return 'page' } }
       export class Data extends Endpoint { GET() {} }`,
    ),
  }
  expect(lines(await described(files))).toEqual(['GET /data'])
  const { app } = await appOf(files)
  expect((await inject(app, 'GET', '/page')).json()).toBe('page')
})

test('servers: any server → the origin of the description', async () => {
  expect((await described({ 'a.ts': code('') })).servers).toEqual([{ url: '/' }])
})

test('examples: bodies whose texts have examples → composed; others → none', async () => {
  const { paths } = await described({
    'index.ts': code(`
      const Shirt = Type.Object({
        name: Text({ examples: ['polo'] }),
        size: Choice(['S', 'L']),
        count: Type.Integer({ minimum: 1 }),
        price: Type.Optional(Type.Union([Type.Null(), Type.Number()])),
        sold: Type.Boolean({ default: true }),
        tags: Type.Array(Text({ examples: ['new'] })),
        note: Type.Optional(Text()),
      })
      export class Shop extends Endpoint {
        static keywords = { POST: Shirt, PUT: Type.Object({ note: Text() }) }
        static responses = { GET: Type.Array(Shirt), POST: { 201: Text(), 409: Type.Literal('sold') }, PUT: { 204: null } }
        GET() {}
        POST({ ...shirt }) {}
        PUT({ note }) {}
      }`),
  })
  const shirt = { name: 'polo', size: 'S', count: 1, price: null, sold: true, tags: ['new'] }
  const shop = paths['/shop']
  expect(shop?.get?.responses[200]?.content?.['application/json']?.example).toEqual([shirt])
  expect(shop?.post?.requestBody?.content['application/json']?.example).toEqual(shirt)
  expect(shop?.post?.responses[201]?.content?.['application/json']).not.toHaveProperty('example')
  expect(shop?.post?.responses[409]?.content?.['application/json']?.example).toBe('sold')
  expect(shop?.put?.requestBody?.content['application/json']).not.toHaveProperty('example')
})
