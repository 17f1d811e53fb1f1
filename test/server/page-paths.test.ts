/** Paths that people and browsers try lead to the admin page. */
import { beforeAll, describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { appOf, code } from '../_support/trees.ts'

describe(`adapter ${ADAPTER}`, () => {
  let url: string
  beforeAll(async () => {
    url = (await BrokerUnderTest.start()).server.url
  })

  test.each(['/admin', '/admin/'])('%s → redirected to the page', async (path) => {
    const answer = await fetch(url + path, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/'])
    expect(await (await fetch(url + path)).text()).toContain('<title>')
  })

  test('/favicon.ico → the icon of the page', async () => {
    const answer = await fetch(`${url}/favicon.ico`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  })

  test('the admin API → needs a token; a path beside it that nothing answers → 404', async () => {
    expect((await fetch(`${url}/admin/api/clients`)).status).toBe(401)
    expect((await fetch(`${url}/admin/nothing`)).status).toBe(404)
  })
})

test('a tree without the broker: /admin, /favicon.ico → 404', async () => {
  const { app } = await appOf({
    'index.ts': code('export class Own extends Endpoint { GET() { return 1 } }'),
  })
  for (const path of ['/admin', '/admin/', '/favicon.ico'])
    expect((await inject(app, 'GET', path)).status).toBe(404)
})
