/** Tests what only `inject` takes: forms of the platform, and a client that leaves a stream. */
import { expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

test('inject: FormData → a multipart form with its file', async () => {
  const { app } = await appOf({
    'photos.ts': `import { File } from 'waybill'
${code(`export class Default extends Endpoint {
  static keywords = { PUT: Type.Object({ title: Text(), photo: File() }) }
  PUT({ title, photo }) { return [title, photo.filename, photo.mediaType, ...photo.bytes] }
}`)}`,
  })
  const body = new FormData()
  body.set('title', 'Pump')
  body.set('photo', new Blob([new Uint8Array([1, 2])], { type: 'image/png' }), 'pump.png')
  expect((await inject(app, 'PUT', '/photos', { body })).json()).toEqual([
    ...['Pump', 'pump.png', 'image/png', 1, 2],
  ])
})

test('inject: URLSearchParams → a form', async () => {
  const { app } = await appOf({
    'notes.ts': code('export class Default extends Endpoint { POST({ text }) { return text } }'),
  })
  const answer = await inject(app, 'POST', '/notes', { body: new URLSearchParams({ text: 'a & b' }) })
  expect(answer.json()).toBe('a & b')
})

test('inject: a stream without end, until a text → the text so far, and the client has left', async () => {
  const ended: unknown[] = []
  const { app } = await appOf(
    {
      '_services.ts': 'export const open = ({ ended }) => ({ ended })',
      'ticks.ts': `import { EventStream } from 'waybill'
${code(`export class Default extends Endpoint {
  GET() { return new EventStream(this.call, this.#ticks()) }
  async *#ticks() {
    try { for (let id = 1; ; id++) yield { id, data: 'tick' } }
    finally { this.services.ended.push(this.call.signal.aborted) }
  }
}`)}`,
    },
    { context: { ended } },
  )
  const answer = await inject(app, 'GET', '/ticks', { until: (text) => text.includes('id: 3') })
  expect(answer.text().match(/id: \d+/g)).toEqual(['id: 1', 'id: 2', 'id: 3'])
  expect(ended).toEqual([true])
})
