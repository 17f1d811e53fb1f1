/** Tests the import and export of clients as CSV. */
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
  /** Waits for the end of an import. @returns its report */
  const reportOf = async (rest: Rest, { id }: Report): Promise<Report> => {
    for (;;) {
      const { body: report } = await rest.get(`${CLIENTS}/import/${id}`)
      if ((report as Report).state !== 'RUNNING') return report as Report
    }
  }
  const importClients = async (csv: string): Promise<Report> => {
    const { status, headers, body } = await upload(csv)
    expect([status, headers.get('location')]).toEqual([202, `${CLIENTS}/import/${body.id}`])
    return reportOf(admin, body)
  }
  const findClient = async (deviseId: string): Promise<object | undefined> =>
    ((await admin.get(CLIENTS)).body as { deviseId: string }[]).find((each) => each.deviseId === deviseId)

  test('CSV import: good and bad lines → clients are created and changed, each bad line has an error', async () => {
    await admin.post(CLIENTS, { deviseId: 'old', password: 'sesame', description: 'before' })
    await admin.post(CLIENTS, { deviseId: 'same', password: 'sesame' })
    const report = await importClients(
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
        ' new 9,secret,,',
        'old ,secret,,',
      ].join('\r\n'),
    )
    expect(report).toEqual({
      id: expect.any(Number),
      state: 'DONE',
      lines: 14,
      done: 14,
      created: 3,
      changed: 1,
      unchanged: 1,
      errors: [
        { line: 6, deviseId: 'new 3', message: 'A new client needs a password.' },
        {
          line: 7,
          deviseId: 'new 1',
          message: 'An earlier line has this deviseId. Remove one of the lines.',
        },
        { line: 8, deviseId: null, message: expect.stringContaining('one of DEVISE, MAN') },
        {
          line: 9,
          deviseId: 'new 5',
          message: 'The password has more than 72 bytes of UTF-8. Choose a shorter one.',
        },
        { line: 10, deviseId: null, message: expect.stringContaining('"deviseId" is missing') },
        { line: 11, deviseId: null, message: 'The line has 2 cells, the first line 4. Give it as many.' },
        { line: 14, deviseId: 'new 8', message: 'The password has a NUL (U+0000). Choose another.' },
        {
          line: 15,
          deviseId: ' new 9',
          message: 'The deviseId " new 9" begins or ends with white space. Remove the white space.',
        },
        {
          line: 16,
          deviseId: 'old ',
          message: 'The deviseId "old " begins or ends with white space. Remove the white space.',
        },
      ],
    })
    expect(await findClient('new 1')).toMatchObject({ role: 'DEVISE', description: 'hall 1, left' })
    expect(await findClient('new 2')).toMatchObject({ role: 'MAN' })
    expect(await findClient('old')).toMatchObject({ description: 'after' })
    await expect(logIn(url, 'new 7', 'secret')).resolves.toBeDefined()
    await expect(logIn(url, 'old', 'sesame')).resolves.toBeDefined()
  })

  test('dry run with details: lines with errors have their id and code; a demotion is marked; the last admin stays', async () => {
    await admin.post(CLIENTS, { deviseId: 'boss', password: 'sesame', role: 'MAN' })
    const csv = [
      'deviseId,role,description',
      'boss,READER,',
      'admin,DEVISE,',
      'lamp,,',
      'lamp 2,KING,',
      'lamp 3',
    ].join('\n')
    const others = (await admin.get(CLIENTS)).body as { id: number; deviseId: string; role: string }[]
    for (const { id, deviseId, role } of others)
      if (role === 'MAN' && !['boss', 'admin'].includes(deviseId)) await admin.delete(`${CLIENTS}/${id}`)
    const { body } = await upload(csv, { dryRun: 'true', details: 'true', generatePasswords: 'true' })
    expect(body).toMatchObject({
      state: 'PLANNED',
      created: 1,
      changed: 1,
      errors: [
        { line: 3, deviseId: 'admin', code: 'last-admin', params: { deviseId: 'admin' } },
        { line: 5, deviseId: 'lamp 2', code: 'bad-keyword', params: { name: 'role' } },
        { line: 6, deviseId: 'lamp 3', code: 'bad-cell-count', params: { cells: 1, expected: 3 } },
      ],
      changes: [
        { line: 2, deviseId: 'boss', effect: 'CHANGED', roleBefore: 'MAN', role: 'READER', isDemotion: true },
        { line: 4, deviseId: 'lamp', effect: 'CREATED', roleBefore: null, role: 'DEVISE', isDemotion: false },
      ],
    })
    expect(await findClient('boss')).toMatchObject({ role: 'MAN' })
  })

  test('generated passwords: new clients without one → shown by the answer to the import, and by no later one', async () => {
    const csv = 'deviseId,password\nfan 1,\nfan 2,own\nadmin,\n'
    const { body } = await upload(csv, { generatePasswords: 'true', details: 'true' })
    const { passwords } = body as Report & { passwords: { deviseId: string; password: string }[] }
    expect(passwords).toEqual([{ line: 2, deviseId: 'fan 1', password: expect.stringMatching(/^\w{20}$/) }])
    const report = await reportOf(admin, body)
    expect(report).toMatchObject({ state: 'DONE', created: 2, unchanged: 1, errors: [] })
    expect(report).not.toHaveProperty('passwords')
    await expect(logIn(url, 'fan 1', passwords[0]?.password as string)).resolves.toBeDefined()
  })

  test('CSV import: devices → split at spaces; an empty cell → kept; too many → an error', async () => {
    const detailsOf = async (deviseId: string): Promise<unknown> =>
      ((await admin.get(`${CLIENTS}?details=true`)).body as { deviseId: string }[]).find(
        (each) => each.deviseId === deviseId,
      )
    const many = Array.from({ length: 1_001 }, (_, i) => `d${i}`).join(' ')
    const report = await importClients(
      `deviseId,password,devices\nhub,secret,valve-1  site-*\nbig,secret,${many}\nplain,secret,`,
    )
    expect(report).toMatchObject({
      created: 2,
      errors: [{ line: 3, deviseId: null, message: expect.stringContaining('"devices"') }],
    })
    expect(await detailsOf('hub')).toMatchObject({ devices: ['valve-1', 'site-*'] })
    expect(await detailsOf('plain')).toMatchObject({ devices: [] })
    expect(await importClients('deviseId,devices\nhub,')).toMatchObject({ unchanged: 1 })
    expect(await importClients('deviseId,devices\nhub,valve-1 site-*')).toMatchObject({ unchanged: 1 })
    expect(await importClients('deviseId,devices\nhub,*')).toMatchObject({ changed: 1 })
    expect(await detailsOf('hub')).toMatchObject({ devices: ['*'] })
    const csvOf = async (query: string): Promise<string> => {
      const headers = { authorization: `Bearer ${broker.token}` }
      return (await fetch(`${url}${CLIENTS}/export${query}`, { headers })).text()
    }
    const lines = (await csvOf('?details=true')).split('\r\n')
    expect(lines[0]).toBe('deviseId,role,description,devices,ownQueueOnly')
    expect(lines).toContain('hub,DEVISE,,*,')
    expect((await csvOf('')).split('\r\n')).toContain('hub,DEVISE,')

    const limits = 'deviseId,password,ownQueueOnly\nhub,,TRUE\nplain,,false\nbad,secret,maybe\n'
    expect(await importClients(limits)).toMatchObject({
      changed: 2,
      errors: [{ line: 4, message: expect.stringContaining('"ownQueueOnly"') }],
    })
    expect(await detailsOf('hub')).toMatchObject({ ownQueueOnly: true })
    expect((await csvOf('?details=true')).split('\r\n')).toContain('plain,DEVISE,,,false')
    expect(await importClients('deviseId,ownQueueOnly\nhub,\nplain,false')).toMatchObject({ unchanged: 2 })
  })

  test('CSV import: its id after a restart → 404, and no new import has this id', async () => {
    const before = await BrokerUnderTest.start()
    const { id } = (await upload('deviseId,password\nlamp,on', {}, before)).body
    await reportOf(before.rest, { id } as Report)
    await before.server.kill()
    const after = await BrokerUnderTest.start({ dataDir: before.dataDir })
    await upload('deviseId,password\nradio,on', {}, after)
    expect(await after.rest.get(`${CLIENTS}/import/${id}`)).toMatchObject({
      status: 404,
      body: {
        message: `There is no report of import ${id}: the server keeps the last 20 since its start. GET /admin/api/clients lists the clients.`,
      },
    })
  })

  test('CSV import: dryRun → the report, and nothing changes', async () => {
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
    expect(await findClient('dry new')).toBeUndefined()
    expect(await findClient('dry')).toMatchObject({ description: '' })
    expect((await upload(csv, { dryRun: 'perhaps' })).status).toBe(400)
  })

  test('CSV import: the same password → tokens stay valid; another password → 401', async () => {
    await admin.post(CLIENTS, { deviseId: 'steady', password: 'sesame' })
    const steady = await logIn(url, 'steady', 'sesame')
    expect(await importClients('deviseId,password\nsteady,sesame')).toMatchObject({ unchanged: 1 })
    expect((await steady.get('/auth/me')).status).toBe(200)
    expect(await importClients('deviseId,password\nsteady,other')).toMatchObject({ changed: 1 })
    expect((await steady.get('/auth/me')).status).toBe(401)
  })

  test('CSV import: a line demotes the last admin → its line has an error', async () => {
    const own = await BrokerUnderTest.start()
    const report = await reportOf(own.rest, (await upload('deviseId,role\nadmin,DEVISE', {}, own)).body)
    expect(report.errors).toEqual([
      { line: 2, deviseId: 'admin', message: expect.stringContaining('last client with role MAN') },
    ])
  })

  test('CSV import: another one is running → 409', async () => {
    const many = Array.from({ length: 8 }, (_, i) => `busy ${i},secret`).join('\n')
    const first = await upload(`deviseId,password\n${many}`)
    expect(first).toMatchObject({ status: 202, body: { state: 'RUNNING', lines: 8 } })
    expect(await upload('deviseId,password\nx,y')).toMatchObject({
      status: 409,
      body: { message: 'Another import is running: wait for its end.' },
    })
    expect(await reportOf(admin, first.body)).toMatchObject({ state: 'DONE', created: 8 })
  })

  test.each([
    ['no header', 'pump,secret', /must name the columns: deviseId/],
    ['nothing', '', /must name the columns/],
    ['an unknown column', 'deviseId,colour\na,b', /each once, not "colour"/],
    ['a column twice', 'deviseId,role,role\na,,', /must name the columns/],
    ['a quote that does not end', 'deviseId,password\n"a,b', /is not valid CSV/],
    [
      'a workbook',
      Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0xd0]),
      /is no text in UTF-8, UTF-16 or Windows-1251/,
    ],
  ])('CSV import: a file with %s → 400', async (_what, csv, message) => {
    expect(await upload(csv)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  })

  test('CSV import: no file → 400; unknown import id → 404', async () => {
    expect(await admin.post(`${CLIENTS}/import`, {})).toMatchObject({
      status: 400,
      body: { message: 'Parameter "file" is missing: expected a file of a multipart form.' },
    })
    expect((await admin.post(`${CLIENTS}/import`, { file: 'deviseId\nx' })).status).toBe(400)
    expect((await admin.get(`${CLIENTS}/import/4711`)).status).toBe(404)
  })

  test('CSV import: semicolons, a byte order mark and line feeds → accepted', async () => {
    expect(await importClients('\ufeffdeviseId;password;description\nsemi;secret;a, b\n')).toMatchObject({
      created: 1,
    })
    expect(await findClient('semi')).toMatchObject({ description: 'a, b' })
  })

  test('CSV import: a password with an apostrophe before a formula → that password, apostrophe included', async () => {
    const report = await importClients("deviseId,password,description\nquoted,'=x,'=1\n")
    expect(report).toMatchObject({ created: 1, errors: [] })
    await expect(logIn(url, 'quoted', "'=x")).resolves.toBeDefined()
    await expect(logIn(url, 'quoted', '=x')).rejects.toThrow('401')
    expect(await findClient('quoted')).toMatchObject({ description: '=1' })
  })

  test('CSV import: a file of a spreadsheet in UTF-16 → read, and its encoding named with details alone', async () => {
    const file = Buffer.from('\ufeffsep=\t\r\nID\tpassword\r\nнасос-1\tsecret\r\n\t\r\n', 'utf16le')
    const bytes = new Uint8Array(file)
    expect((await upload(bytes, { dryRun: 'true' })).body).not.toHaveProperty('encoding')
    for (const dryRun of ['true', 'false']) {
      const { body } = await upload(bytes, { dryRun, details: 'true' })
      expect(body).toMatchObject({ encoding: 'UTF-16', lines: 1 })
      if (dryRun === 'false') expect(await reportOf(admin, body)).toMatchObject({ created: 1, errors: [] })
    }
    expect(await findClient('насос-1')).toBeDefined()
  })

  test('dry run with details: new ids that a spreadsheet rounded → each with a warning', async () => {
    await admin.post(CLIENTS, { deviseId: '1E+3', password: 'sesame' })
    const ids = ['8.61234E+14', '"8,61234E+14"', '7e+15', '1E+3', '8.61234E14', 'E+14', '861234000000000']
    const csv = ['deviseId,password', ...ids.map((id) => `${id},secret`)].join('\n')
    const { changes } = (await upload(csv, { dryRun: 'true', details: 'true' })).body as Report & {
      changes: { line: number; warning?: object }[]
    }
    expect(changes.map(({ warning }) => warning !== undefined)).toEqual([
      true,
      true,
      true,
      ...Array(4).fill(false),
    ])
    expect(changes[0]?.warning).toEqual({
      code: 'rounded-id',
      message: expect.stringMatching(
        /^The deviseId looks like a long number that a spreadsheet has rounded\. Format/,
      ),
    })
  })

  test('CSV export: names that look like formulas → quoted, no passwords; its import changes nothing', async () => {
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
    expect(await importClients(csv)).toMatchObject({ lines: count, unchanged: count, errors: [] })
  })
})
