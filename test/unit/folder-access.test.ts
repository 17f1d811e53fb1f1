/** The access of a folder holds for the paths in it that nothing answers: 401 and 403 come before 404. */
import { expect, test } from 'vitest'
import { explainRoute } from '../../src/runner/routes-explain.ts'
import { inject } from '../../src/web/inject.ts'
import { answers, appOf, code } from '../_support/trees.ts'

const GUARD = `export function authenticate(services, authorization) {
  const [scheme, id, ...roles] = (authorization ?? '').split(' ')
  return scheme === 'Bearer' && id ? { id, roles } : null
}`
const TREE = {
  '_services.ts': `${GUARD}\nexport const bareErrors = [401, 403]`,
  'index.ts': code('export class Open extends Endpoint { static access = "public"; GET() { return 1 } }'),
  'plant/_folder.ts': "export const access = 'any'",
  'plant/index.ts': code(
    `${answers('Pump')} export class Yard extends Endpoint { static access = 'public'; GET() { return 1 } }`,
  ),
  'plant/safe/_folder.ts': "export const access = { GET: ['MAN', 'READER'], ANY: 'MAN' }",
  'plant/safe/keys.ts': code('export class Default extends Endpoint { GET(id) { return id } }'),
  'plant/yard/_folder.ts': "export const access = 'MAN'",
  'plant/yard/gates.ts': code(answers('Gate')),
  'plant/hall/_folder.ts': "export const access = 'public'",
  'plant/hall/door.ts': code('export class Default extends Endpoint { GET() { return 1 } }'),
}

const bearer = (who: string | null) => (who === null ? {} : { headers: { authorization: `Bearer ${who}` } })

test.each([
  ['GET', '/nothing', null, 404],
  ['GET', '/plant', null, 401],
  ['GET', '/plant/nothing', null, 401],
  ['PROPFIND', '/plant/nothing', null, 401],
  ['OPTIONS', '/plant/nothing', null, 401],
  ['GET', '/Plant//no%74hing/at/all?a=1', null, 401],
  ['GET', '/plant/nothing', 'ann', 404],
  ['GET', '/plant/safe', null, 401],
  ['GET', '/plant/safe/nothing', 'ann', 403],
  ['GET', '/plant/safe/nothing', 'ann READER', 404],
  ['HEAD', '/plant/safe/nothing', 'ann READER', 404],
  ['POST', '/plant/safe/nothing', 'ann READER', 403],
  ['POST', '/plant/safe/nothing', 'ann MAN', 404],
  ['GET', '/plant/safe/keys/1/2', null, 401],
  ['GET', '/plant/safe/keys/1/2', 'ann', 403],
  ['GET', '/plant/safe/keys/1/2', 'ann MAN', 404],
  ['GET', '/plant/yard', null, 200],
  ['GET', '/plant/yard/nothing', null, 401],
  ['POST', '/plant/yard/nothing', null, 401],
  ['GET', '/plant/yard/nothing', 'ann', 403],
  ['GET', '/plant/yard/nothing', 'ann MAN', 404],
  ['GET', '/plant/hall/nothing', null, 404],
])('folder access: %s %s by %s → %i', async (method, target, who, expected) => {
  const { app } = await appOf(TREE)
  expect((await inject(app, method, target, bearer(who))).status).toBe(expected)
})

test('folder access: a refusal for a path that nothing answers → the body of any other refusal', async () => {
  const { app } = await appOf(TREE)
  for (const who of [null, 'ann']) {
    const [known, unknown] = await Promise.all(
      ['/plant/safe/keys/1', '/plant/safe/nothing'].map((target) => inject(app, 'GET', target, bearer(who))),
    )
    expect([unknown?.text(), unknown?.headers]).toEqual([known?.text(), known?.headers])
  }
})

test.each([
  ['before', [0, 1]],
  ['after', [1, 0]],
])(
  'folder access: a prefix %s it has the folder too → opens no path of the other prefix',
  async (_, order) => {
    const open = {
      'plant/_folder.ts': "export const access = 'public'",
      'plant/own.ts': code(answers('Own')),
    }
    const { app } = await appOf(order.map((i) => [open, TREE][i] as typeof TREE))
    expect((await inject(app, 'GET', '/plant/own/own')).status).toBe(200)
    expect((await inject(app, 'GET', '/plant/nothing')).status).toBe(401)
    expect((await inject(app, 'GET', '/plant/nothing', bearer('ann'))).status).toBe(404)
  },
)

test('waybill routes explain: a path that nothing answers in a folder with access → who gets the 404', async () => {
  const { site } = await appOf(TREE)
  const { text } = explainRoute(site, 'GET', '/plant/safe/nothing')
  expect(text).toContain('404: nothing answers /plant/safe/nothing\n  access: MAN|READER\n')
})
