/** The API description of the broker is valid, the same in JSON and YAML, and true of the server. */
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { prefixPaths } from '../../src/app/site.ts'
import { type ApiDescription, describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { type Described, type Input, operationsOf, Reader } from '../_support/described.ts'
import { startInProcess } from '../_support/in-process.ts'
import { call, tokenOf } from '../_support/rest.ts'
import { runs } from '../_support/runs.ts'
import { send } from '../_support/send-input.ts'
import type { Server } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const FILES = ['deviseId', 'deviseId;password\r\nlamp;on', 'deviseId,role\nlamp,KING\n'].map(
  (text) => new Blob([text], { type: 'text/csv' }),
)
const HELLO = `import { Endpoint } from 'waybill'
export class Greeting extends Endpoint {
  GET(name: string, { polite = 'no' }) {
    return polite === 'yes' ? 'Dear ' + name : 'Hi ' + name
  }
}`

async function descriptionOf({ url }: Server): Promise<ApiDescription> {
  return (await call(url, 'GET', '/v3/api-docs')).body as ApiDescription
}

/** Matches the answer to input that a schema forbids. Rules beyond the schemas answer 400 with other words. */
const BY_SCHEMA = /^\{"error":"Bad Request","message":"(?:Parameter \\"|\\".*\\" in the path is not valid)/

const title = ({ method, path }: Described): string => `${method} ${path}`

const OPERATIONS = operationsOf(
  describeSite(await readSite(prefixPaths(['@broker'])), { title: 'API', version: '0' }),
).map((each) => [title(each), each] as const)

const IMPORT = new Map(OPERATIONS).get('POST /admin/api/clients/import') as Described

describe(`over ${ADAPTER}`, () => {
  let server: Server
  let guarded: Server
  let description: ApiDescription
  let reader: Reader
  let deviceToken: string

  beforeAll(async () => {
    server = await startInProcess({
      flags: { adapter: ADAPTER, prefixes: [writeTree({ 'hello.ts': HELLO }), '@broker'] },
      // No request waits, whatever number of seconds a test makes up.
      env: { APP_SECURITY_PERMIT_ALL: 'true', WAYBILL_WAITS_LIMIT: '0' },
      dataDir: await withClients(),
    })
    const broker = await BrokerUnderTest.start()
    guarded = broker.server
    await broker.rest.post('/admin/api/clients', { deviseId: 'device', password: 'device' })
    deviceToken = await tokenOf(guarded.url, 'device', 'device')
    description = await descriptionOf(server)
    const messages = [1, 2, 3].map((n) => ({ command: `command ${n}`, data: { n } }))
    for (const message of messages) await call(server.url, 'PUT', '/producer/request/pump-1', message)
    const started = (await send(server.url, IMPORT, { parameters: {}, body: { file: FILES[0] } })).text
    const { id } = JSON.parse(started) as { id: number }
    reader = new Reader(description, ['pump-1', 1, 2, 3, id], FILES)
  })

  /** @param refused whether the schemas forbid the input, so that the answer must say so */
  async function complaint(of: Described, input: Input, refused: boolean): Promise<string | null> {
    const answer = await send(server.url, of, input)
    const bySchema = of.method === 'HEAD' ? answer.status === 400 : BY_SCHEMA.test(answer.text)
    if (bySchema !== refused || answer.status >= 500)
      return `${answer.status} was not expected: ${answer.text}`
    return reader.complaint(of, answer)
  }

  test('API description: read as JSON → valid OpenAPI', async () => {
    expect(await new Validator().validate(structuredClone(description) as never)).toEqual({ valid: true })
  })

  test('API description: each operation → id, tag, summary and description', () => {
    const operations = operationsOf(description).filter(({ path }) => !path.startsWith('/hello'))
    for (const { operation } of operations) {
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z]+([A-Z][a-z]+)*$/),
        tags: [expect.any(String)],
        summary: expect.stringMatching(/^[A-Z]/),
        description: expect.stringMatching(/^Needs /),
      })
      const [tag] = operation.tags
      expect(description.tags.find(({ name }) => name === tag)?.description).toEqual(expect.any(String))
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  test('API description: list and item → one shape for each operation', () => {
    const shapes = operationsOf(description).flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).map(({ schema }) => schema),
      ),
    )
    expect(shapes.filter((schema) => 'anyOf' in schema)).toEqual([])
    const names = (path: string) => description.paths[path]?.get?.parameters?.map(({ name }) => name)
    expect(names('/admin/api/clients')).toEqual(['details'])
    expect(names('/admin/api/clients/{id}')).toEqual(['id', 'details'])
    for (const path of ['messages/{id}', 'saved-messages/{id}']) {
      expect(names(`/admin/api/${path}`)).toEqual(['id', 'details'])
    }
    expect(names('/admin/api/devices/{deviceId}')).toEqual(['deviceId', 'details'])
  })

  test('API description: each JSON body and each request → an example that fits its schema', () => {
    for (const { method, path, operation } of operationsOf(description)) {
      if (path.startsWith('/hello')) continue
      const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 300)
      const bodies = [operation.requestBody, ...answers.map(([, answer]) => answer)].flatMap((body) =>
        Object.entries(body?.content ?? {}),
      )
      for (const [type, { schema, example }] of bodies) {
        if (!['application/json', 'multipart/form-data'].includes(type)) continue
        expect(reader.misfit(schema, example), `${method} ${path}`).toBe(null)
      }
    }
  })

  test('API description: pages and their files → served, but not described', async () => {
    for (const path of ['/', '/swagger-ui', '/v3/api-docs']) {
      expect(description.paths[path]).toBe(undefined)
      expect((await fetch(`${server.url}${path}`)).status).toBe(200)
    }
  })

  test('API description: in YAML, without a token → the same as in JSON', async () => {
    const answer = await fetch(`${guarded.url}/v3/api-docs.yaml`)
    expect(answer.headers.get('content-type')).toBe('application/yaml')
    expect(parse(await answer.text())).toEqual(await descriptionOf(guarded))
  })

  test('API description: an endpoint file without docs of its own → described from its signature', () => {
    const operation = description.paths['/hello/greeting/{name}']?.get
    expect(operation).toMatchObject({
      tags: ['hello'],
      security: [{ bearer: [] }],
      parameters: [
        { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'polite', in: 'query', required: false, schema: {} },
      ],
    })
    expect(Object.keys(operation?.responses ?? {})).toEqual(['400', '401', '500', '503', '2XX', 'default'])
  })

  test.each(OPERATIONS)('%s: good input → accepted, the answer is as described', async (_title, of) => {
    await fc.assert(
      fc.asyncProperty(reader.good(of), async (input) => {
        expect(await complaint(of, input, false)).toBe(null)
      }),
      { numRuns: runs(4) },
    )
  })

  test.each(OPERATIONS)('%s: bad input → refused, the answer is as described', async (_title, of) => {
    const bad = reader.bad(of)
    if (!bad) return
    await fc.assert(
      fc.asyncProperty(bad, async (input) => {
        expect(await complaint(of, input, true)).toBe(null)
      }),
      { numRuns: runs(4) },
    )
  })

  test.each(OPERATIONS)('%s: no token → 401 where the description says so', async (_title, of) => {
    const [input] = fc.sample(reader.good(of), { numRuns: 1, seed: 1 }) as [Input]
    const answer = await send(guarded.url, of, input)
    if (of.operation.security.length > 0) expect(answer.status).toBe(401)
    expect(reader.complaint(of, answer)).toBe(null)
  })

  test.each(OPERATIONS.filter(([, { operation }]) => / roles? MAN/.test(operation.description)))(
    '%s: a token without the role → 403',
    async (_title, of) => {
      const [input] = fc.sample(reader.good(of), { numRuns: 1, seed: 1 }) as [Input]
      const answer = await send(guarded.url, of, input, deviceToken)
      expect(answer.status).toBe(403)
      expect(reader.complaint(of, answer)).toBe(null)
    },
  )
})
