/** Clients as CSV over REST, in and out. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'

interface Report {
  readonly id: number
  readonly state: string
  readonly errors: unknown[]
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  let url: string
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
    url = broker.server.url
  })

  const upload = async (
    csv: string | Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = {},
    { server, token }: BrokerUnderTest = broker,
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob([csv], { type: 'text/csv' }), 'clients.csv')
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}${CLIENTS}/import`, { method: 'POST', headers, body: form })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Report }
  }
  /** The report of an import once it has ended. */
  const ended = async (rest: Rest, { id }: Report): Promise<Report> => {
    for (;;) {
      const { body: report } = await rest.get(`${CLIENTS}/import/${id}`)
      if ((report as Report).state !== 'RUNNING') return report as Report
    }
  }
  const imported = async (csv: string): Promise<Report> => {
    const { status, headers, body } = await upload(csv)
    expect([status, headers.get('location')]).toEqual([202, `${CLIENTS}/import/${body.id}`])
    return ended(admin, body)
  }
  const find = async (deviseId: string): Promise<object | undefined> =>
    ((await admin.get(CLIENTS)).body as { deviseId: string }[]).find((each) => each.deviseId === deviseId)

  test('makes and changes clients, line by line, and tells what is wrong with a line', async () => {
    await admin.post(CLIENTS, { deviseId: 'old', password: 'sesame', description: 'before' })
    await admin.post(CLIENTS, { deviseId: 'same', password: 'sesame' })
    const report = await imported(
      [
        'deviseId,password,role,description',
        'new 1,secret,,"hall 1, left"',
        'new 2,secret,MAN,',
        'old,,,after',
        'same,sesame,DEVISE,',
        'new 3,,,no password',
        'new 1,secret,,twice',
        'new 4,secret,KING,',
        `new 5,${'x'.repeat(73)},,`,
        ',secret,,nobody',
        'new 6,secret',
        '',
        'new 7,secret,DEVISE,last',
        'new 8,a\0b,,',
      ].join('\r\n'),
    )
    expect(report).toEqual({
      id: expect.any(Number),
      state: 'DONE',
      lines: 12,
      done: 12,
      created: 3,
      changed: 1,
      unchanged: 1,
      errors: [
        { line: 6, deviseId: 'new 3', message: 'A new client needs a password.' },
        { line: 7, deviseId: 'new 1', message: 'This deviseId was on a line before.' },
        { line: 8, deviseId: null, message: expect.stringContaining('one of DEVISE, MAN') },
        { line: 9, deviseId: 'new 5', message: 'A password has at most 72 bytes of UTF-8.' },
        { line: 10, deviseId: null, message: expect.stringContaining('"deviseId" is missing') },
        { line: 11, deviseId: null, message: 'It has 2 cells, the first line 4.' },
        { line: 14, deviseId: 'new 8', message: 'A password has no NUL (U+0000).' },
      ],
    })
    expect(await find('new 1')).toMatchObject({ role: 'DEVISE', description: 'hall 1, left' })
    expect(await find('new 2')).toMatchObject({ role: 'MAN' })
    expect(await find('old')).toMatchObject({ description: 'after' })
    await expect(logIn(url, 'new 7', 'secret')).resolves.toBeDefined()
    await expect(logIn(url, 'old', 'sesame')).resolves.toBeDefined()
  })

  test('an import before a restart is not known any more, and no other has its id', async () => {
    const before = await BrokerUnderTest.start()
    const { id } = (await upload('deviseId,password\nlamp,on', {}, before)).body
    await ended(before.rest, { id } as Report)
    await before.server.kill()
    const after = await BrokerUnderTest.start({ dataDir: before.dataDir })
    await upload('deviseId,password\nradio,on', {}, after)
    expect(await after.rest.get(`${CLIENTS}/import/${id}`)).toMatchObject({
      status: 404,
      body: {
        message: `No import ${id} is known: only the last 20 since the start of the server are. GET /admin/api/clients tells what was done.`,
      },
    })
  })

  test('a dry run tells the same and changes nothing', async () => {
    await admin.post(CLIENTS, { deviseId: 'dry', password: 'sesame' })
    const csv = 'deviseId,description,password\ndry,x,\ndry new,y,z\nadmin,first admin,\nbad,,\n'
    const { status, body } = await upload(csv, { dryRun: 'true' })
    expect([status, body]).toEqual([
      200,
      {
        id: 0,
        state: 'PLANNED',
        lines: 4,
        done: 4,
        created: 1,
        changed: 1,
        unchanged: 1,
        errors: [{ line: 5, deviseId: 'bad', message: 'A new client needs a password.' }],
      },
    ])
    expect(await find('dry new')).toBeUndefined()
    expect(await find('dry')).toMatchObject({ description: '' })
    expect((await upload(csv, { dryRun: 'perhaps' })).status).toBe(400)
  })

  test('the same password again leaves the tokens of a client alone, another one ends them', async () => {
    await admin.post(CLIENTS, { deviseId: 'steady', password: 'sesame' })
    const steady = await logIn(url, 'steady', 'sesame')
    expect(await imported('deviseId,password\nsteady,sesame')).toMatchObject({ unchanged: 1 })
    expect((await steady.get('/auth/me')).status).toBe(200)
    expect(await imported('deviseId,password\nsteady,other')).toMatchObject({ changed: 1 })
    expect((await steady.get('/auth/me')).status).toBe(401)
  })

  test('the last admin stays, and the line says so', async () => {
    const own = await BrokerUnderTest.start()
    const report = await ended(own.rest, (await upload('deviseId,role\nadmin,DEVISE', {}, own)).body)
    expect(report.errors).toEqual([
      { line: 2, deviseId: 'admin', message: expect.stringContaining('last client with role MAN') },
    ])
  })

  test('one import at a time', async () => {
    const many = Array.from({ length: 8 }, (_, i) => `busy ${i},secret`).join('\n')
    const first = await upload(`deviseId,password\n${many}`)
    expect(first).toMatchObject({ status: 202, body: { state: 'RUNNING', lines: 8 } })
    expect(await upload('deviseId,password\nx,y')).toMatchObject({
      status: 409,
      body: { message: 'Another import is running: wait for its end.' },
    })
    expect(await ended(admin, first.body)).toMatchObject({ state: 'DONE', created: 8 })
  })

  test.each([
    ['no header', 'pump,secret', /must name the columns: deviseId/],
    ['nothing', '', /must name the columns/],
    ['an unknown column', 'deviseId,colour\na,b', /not "colour"/],
    ['a column twice', 'deviseId,role,role\na,,', /must name the columns/],
    ['a quote that does not end', 'deviseId,password\n"a,b', /is not CSV/],
    ['Latin-1', Uint8Array.from([0x64, 0xe4]), /not UTF-8/],
  ])('a file with %s: 400', async (_what, csv, message) => {
    expect(await upload(csv)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  })

  test('a request without a file: 400; an import that is not known: 404', async () => {
    expect(await admin.post(`${CLIENTS}/import`, {})).toMatchObject({
      status: 400,
      body: { message: 'Parameter "file" is missing: expected a file of a multipart form.' },
    })
    expect((await admin.post(`${CLIENTS}/import`, { file: 'deviseId\nx' })).status).toBe(400)
    expect((await admin.get(`${CLIENTS}/import/4711`)).status).toBe(404)
  })

  test('semicolons, a byte order mark and line feeds are taken too', async () => {
    expect(await imported('\ufeffdeviseId;password;description\nsemi;secret;a, b\n')).toMatchObject({
      created: 1,
    })
    expect(await find('semi')).toMatchObject({ description: 'a, b' })
  })

  test('export: no passwords, no formulas, and an import of it changes nothing', async () => {
    const names = ['=1+1', "'=1+1", '+49', '-pump', '@x', "'quoted'", 'a,"b"', 'ä\u{1f680}']
    for (const deviseId of names)
      await admin.post(CLIENTS, { deviseId, password: 'x', description: `=${deviseId}` })
    const response = await fetch(`${url}${CLIENTS}/export`, {
      headers: { authorization: `Bearer ${broker.token}` },
    })
    const csv = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="clients.csv"')
    const lines = csv.split('\r\n')
    expect(lines.slice(0, 2)).toEqual(['deviseId,role,description', 'admin,MAN,first admin'])
    expect(lines).toContain("'=1+1,DEVISE,'==1+1")
    expect(lines).toContain("''=1+1,DEVISE,'='=1+1")
    expect(lines).toContain("'-pump,DEVISE,'=-pump")
    expect(lines).toContain("'quoted',DEVISE,'='quoted'")
    expect(lines.filter((line) => /(^|,)[=+@-]/.test(line))).toEqual([])
    const count = lines.length - 2
    expect(await imported(csv)).toMatchObject({ lines: count, unchanged: count, errors: [] })
  })
})
