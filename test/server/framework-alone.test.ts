/** The framework serves a tree of endpoints without the broker: no storage, no MQTT. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DOCS } from '../../src/app/site.ts'
import { start } from '../../src/main.ts'
import type { ApiDescription } from '../../src/web/openapi.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { settingsOf } from '../_support/settings.ts'
import { answers, code, recordingLog, writeTree } from '../_support/trees.ts'

const TREE = { 'index.ts': code(answers('Greeting')) }

async function startWith(prefixes: readonly string[]) {
  const dataDir = join(temporaryDirectory(), 'data')
  const log = recordingLog()
  const flags = { host: '127.0.0.1:0', mqttAddress: '127.0.0.1:0', dataDir, prefixes }
  const running = await start(settingsOf({ flags }), log)
  whenDone(() => running.close(0, 'SIGTERM'))
  const mqtt = log.lines.some(({ fields }) => (fields as { mqtt?: unknown }).mqtt)
  return { url: running.url, dataDir, mqtt }
}

test('start: prefixes without the broker → its endpoints answer, no data directory, no MQTT', async () => {
  const { url, dataDir, mqtt } = await startWith([writeTree(TREE)])
  expect(await (await fetch(`${url}/greeting/Ada`)).json()).toEqual(['Greeting', 'Ada'])
  expect((await fetch(`${url}/admin/api/overview`)).status).toBe(404)
  expect([existsSync(dataDir), mqtt]).toEqual([false, false])
})

test('start: prefixes with the broker → both answer, the data directory and MQTT are there', async () => {
  const { url, dataDir, mqtt } = await startWith([writeTree(TREE), '@broker'])
  expect((await fetch(`${url}/admin/api/overview`)).status).toBe(401)
  expect([existsSync(dataDir), mqtt]).toEqual([true, true])
})

test('start: an endpoint file with a mistake → no data directory', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const prefixes = [writeTree({ 'index.ts': 'export class {' }), '@broker']
  const settings = settingsOf({ flags: { host: '127.0.0.1:0', mqttAddress: 'off', dataDir, prefixes } })
  await expect(start(settings, recordingLog())).rejects.toThrow(/index\.ts: cannot be loaded/)
  expect(existsSync(dataDir)).toBe(false)
})

/** Serves the description beside a tree. Returns its JSON, after it was checked. */
async function descriptionOf(prefixes: readonly string[]): Promise<ApiDescription> {
  const { url, dataDir, mqtt } = await startWith(prefixes)
  const description = (await (await fetch(`${url}/v3/api-docs`)).json()) as ApiDescription
  expect(await new Validator().validate(structuredClone(description) as never)).toEqual({ valid: true })
  expect(parse(await (await fetch(`${url}/v3/api-docs.yaml`)).text())).toEqual(description)
  for (const path of ['/swagger-ui', '/swagger-ui.html']) expect((await fetch(url + path)).status).toBe(200)
  expect([existsSync(dataDir), mqtt]).toEqual([false, false])
  return description
}

test('@docs: beside a tree of one file → its description and the page, no data directory, no MQTT', async () => {
  const root = writeTree({
    'package.json': '{ "name": "pump-house", "version": "2.1.0" }',
    'api/hello.ts': code(answers('Greeting')),
  })
  const { info, paths, components } = await descriptionOf([join(root, 'api'), '@docs'])
  expect(info).toEqual({ title: 'pump-house', version: '2.1.0' })
  expect(Object.keys(paths)).toEqual(['/hello/greeting', '/hello/greeting/{rest}'])
  expect(components).not.toHaveProperty('securitySchemes')
})

test('@docs: beside a tree with an authenticator → public, and the description says which token is needed', async () => {
  const guarded = { ...TREE, '_services.ts': 'export const authenticate = () => null' }
  const { paths, components } = await descriptionOf(['@docs', writeTree(guarded)])
  expect(paths['/greeting']?.get?.security).toEqual([{ bearer: [] }])
  expect(components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } })
})

test('title: a prefix exports info → that of the first, before that of the broker and of package.json', async () => {
  const info = (title: string) => `export const info = { title: '${title}', version: '2' }`
  const root = writeTree({
    'package.json': '{ "name": "from-package" }',
    'a/hello.ts': code(answers('Greeting')),
    'b/_services.ts': info('B'),
    'c/_services.ts': info('C'),
  })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(root, name)) as [string, string, string]
  const titleOf = async (prefixes: readonly string[]): Promise<unknown> => {
    const { url } = await startWith(prefixes)
    return ((await (await fetch(`${url}/v3/api-docs`)).json()) as ApiDescription).info.title
  }
  expect(await titleOf([a, b, c, '@docs'])).toBe('B')
  expect(await titleOf([c, '@broker', b])).toBe('C')
  expect(await titleOf([a, '@broker', b])).toBe('Waybill')
  expect(await titleOf([a, DOCS])).toBe('from-package')
})
