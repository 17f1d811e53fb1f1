/** Recursive schemas: components of the API description, valid for validators and for `waybill types`. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { typesOf } from '../../src/runner/types.ts'
import { inject } from '../../src/web/inject.ts'
import { describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { appOf, code, writeTree } from '../_support/trees.ts'

const CLASS = code(`
  const Tree = (options) => Type.Recursive((This) => Type.Object({ name: Type.String(), children: Type.Array(This) }), options)
  const Family = Type.Module({
    Parent: Type.Object({ name: Type.String(), child: Type.Optional(Type.Ref('Child')) }),
    Child: Type.Object({ parent: Type.Optional(Type.Ref('Parent')) }),
  })
  const Plain = Tree()
  export class Default extends Endpoint {
    static keywords = { POST: Type.Object({ tree: Plain }), PUT: Tree({ title: 'Branch' }), GET: Tree({ $id: 'Query' }) }
    static responses = {
      GET: Type.Array(Plain),
      POST: { 200: Family.Import('Parent'), 201: Tree({ $id: 'Node' }), 202: Type.Optional(Tree({ $id: 'Node', description: 'another' })) },
    }
    GET({ name, children }) { return [{ name, children }] }
    POST({ tree }) { return tree }
    PUT({ name, children }) { return { name, children } }
  }`)

const TREE = { name: 'a', children: [{ name: 'b', children: [] }] }

test('recursive schemas → components that validators and the types of clients accept', async () => {
  const site = await readSite([writeTree({ 'trees.ts': CLASS })])
  const description = JSON.parse(JSON.stringify(describeSite(site, { title: 'API', version: '0' })))
  expect(await new Validator().validate(structuredClone(description))).toEqual({ valid: true })
  const problems = await lintFromString({
    source: JSON.stringify(description),
    config: await createConfig({ extends: ['recommended'] }),
  })
  const missing = ['info-license', 'tag-description', 'operation-summary']
  expect(problems.filter(({ ruleId }) => !missing.includes(ruleId))).toEqual([])
  const { schemas } = description.components
  const listOf = (name: string) => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } })
  expect(Object.keys(schemas).sort()).toEqual(
    ['Branch', 'Child', 'Error', 'Node', 'Node2', 'Parent', 'Query', 'Recursive'].sort(),
  )
  expect(schemas.Recursive).toEqual({
    type: 'object',
    required: ['name', 'children'],
    properties: { name: { type: 'string' }, children: listOf('Recursive') },
  })
  expect(schemas.Node2.properties.children).toEqual(listOf('Node2'))
  expect(schemas.Parent.properties.child).toEqual({ $ref: '#/components/schemas/Child' })
  expect(schemas.Child.properties.parent).toEqual({ $ref: '#/components/schemas/Parent' })
  expect(JSON.stringify(description)).not.toMatch(/\$id|\$defs/)
  const types = await typesOf(site)
  expect(types).toMatch(/Recursive: \{[^}]*children: components\["schemas"\]\["Recursive"\]\[\]/)
})

test('recursive schemas of keyword arguments → checked at every depth, from JSON and from a query', async () => {
  const { app } = await appOf({ 'trees.ts': CLASS })
  const broken = { name: 'a', children: [{ name: 1, children: [] }] }
  expect((await inject(app, 'POST', '/trees', { body: { tree: TREE } })).json()).toEqual(TREE)
  expect((await inject(app, 'PUT', '/trees', { body: TREE })).json()).toEqual(TREE)
  const refused = await inject(app, 'PUT', '/trees', { body: broken })
  expect([refused.status, refused.json()]).toMatchObject([
    400,
    { message: expect.stringContaining('children.0.name') },
  ])
  expect((await inject(app, 'GET', '/trees?name=a&children=b')).status).toBe(400)
})

test('a $ref to no schema around it → refused at the start, with file and class', async () => {
  const root = writeTree({
    'responses.ts': code(`export class Default extends Endpoint {
      static responses = { GET: { 200: Type.Array(Type.Ref('Nothing')) } }
      GET() {}
    }`),
    'keywords.ts': code(`export class Default extends Endpoint {
      static keywords = { POST: Type.Object({ tree: Type.Ref('Nothing') }) }
      POST({ tree }) {}
    }`),
  })
  await expect(readSite([root])).rejects.toThrow(/keywords\.ts: class Default[\s\S]*Nothing/)
  const other = writeTree({
    'responses.ts': code(`export class Default extends Endpoint {
      static responses = { GET: { 200: Type.Array(Type.Ref('Nothing')) } }
      GET() {}
    }`),
  })
  await expect(readSite([other])).rejects.toThrow(
    `${other}/responses.ts: class Default, GET: static responses refers to "Nothing", which no schema around it has as $id`,
  )
})

test('a $ref to nothing in an error table → refused at the start, with file, code and member', async () => {
  const root = writeTree({
    '_services.ts': code(`export const errors = {
      busy: { status: 409, when: 'it runs', gives: { fields: { by: Type.Array(Type.Ref('Nobody')) } } },
    }`),
  })
  await expect(readSite([root])).rejects.toThrow(
    `${root}/_services.ts: errors, "busy": gives.fields.by refers to "Nobody", which no schema around it has as $id`,
  )
})
