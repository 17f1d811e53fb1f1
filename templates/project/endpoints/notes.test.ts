/** Tests a class alone, then the whole service through `inject`, which needs no socket. */
import { expect, onTestFinished, test } from 'vitest'
import { App, inject, Lifecycle, readSite } from 'waybill'
import { Note } from './notes.ts'

test('a note → its id and text', () => {
  const notes = new Map([[1, 'hello']])
  expect(new Note({ notes }).GET(1)).toEqual({ id: 1, text: 'hello' })
})

test('a note that does not exist → an error', () => {
  expect(() => new Note({ notes: new Map() }).GET(1)).toThrow('There is no note 1.')
})

async function startApp(): Promise<App> {
  const site = await readSite([import.meta.dirname], (file) => import(file))
  const lifecycle = new Lifecycle(site, {}, console)
  await lifecycle.open()
  onTestFinished(() => lifecycle.close())
  return new App({ site, bodyLimit: 262_144, log: console })
}

test('POST /notes → stored, and found by a search', async () => {
  const app = await startApp()
  const added = await inject(app, 'POST', '/notes', { body: { text: 'hello' } })
  expect([added.status, added.headers.location]).toEqual([201, '/notes/1'])
  expect((await inject(app, 'GET', '/notes?search=ell')).json()).toEqual([{ id: 1, text: 'hello' }])
})

test('parameters that the schemas refuse → 400', async () => {
  const app = await startApp()
  expect((await inject(app, 'POST', '/notes', { body: { text: '' } })).status).toBe(400)
  expect((await inject(app, 'GET', '/notes/one')).status).toBe(400)
})
