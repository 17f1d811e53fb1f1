/** `waybill key` against a server, and a key in place of a token. */
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { type CommandResult, jsonLines, waybill } from '../_support/command.ts'
import { clientIdOf } from '../_support/credentials.ts'
import { withToken } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp', 'radio') })
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

const keysOf = async (deviseId: string): Promise<unknown> =>
  (await broker.rest.get(`/admin/api/clients/${await clientIdOf(broker, deviseId)}/keys`)).body

test('key add, list, remove → the key alone is printed, and works until it is removed', async () => {
  const added = await run('key', 'add', 'lamp', '--description', 'metrics', '--expires', '2999-01-31')
  expect(added).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^wbk_\d+_[\w-]{43}\n$/) })
  const key = added.stdout.trim()
  const id = key.split('_')[1] as string
  expect((await withToken(broker.server.url, key).get('/auth/me')).status).toBe(200)
  const listed = await run('key', 'list', 'lamp')
  const [heading, row] = listed.stdout.trim().split('\n')
  expect(heading).toMatch(/^ID +CREATED +LAST USED +EXPIRES +DESCRIPTION$/)
  expect(row).toMatch(new RegExp(`^${id} +20[\\d :-]+20[\\d :-]+ 2999-01-31 00:00:00 +metrics$`))
  expect(await run('key', 'remove', id)).toMatchObject({ code: 0, stdout: `${id} removed\n` })
  expect(await keysOf('lamp')).toEqual([])
  expect(await run('key', 'remove', id)).toMatchObject({ code: 5 })
})

test('key with --json → the answers of the API', async () => {
  const [created] = jsonLines(await run('key', 'add', 'radio', '--json'))
  expect(created).toMatchObject({ description: '', expiresDate: null, key: expect.any(String) })
  const { key: _, ...shown } = created as Record<string, unknown>
  expect(jsonLines(await run('key', 'list', 'radio', '--json'))).toEqual([shown])
  expect(await run('key', 'remove', String(shown.id), '--client', 'lamp')).toMatchObject({ code: 5 })
  expect(await run('key', 'remove', String(shown.id), '--client', 'radio')).toMatchObject({ code: 0 })
})

test('key: an unknown client, a date that is none or is past → refused with the cure', async () => {
  expect(await run('key', 'add', 'ghost')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/client list/),
  })
  expect(await run('key', 'list', 'ghost')).toMatchObject({ code: 5 })
  for (const date of ['soon', '7', '2020-01-01', '2030-13-01']) {
    const refused = await run('key', 'add', 'lamp', '--expires', date)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/date/) })
  }
  expect(await keysOf('lamp')).toEqual([])
})

test('a key as --token: of an admin → commands run; removed → exit code 4', async () => {
  const key = (await run('key', 'add', 'admin')).stdout.trim()
  const byKey = (...argv: string[]) => waybill(...argv, '--url', broker.server.url, '--token', key)
  expect(await byKey('client', 'list')).toMatchObject({ code: 0, stdout: expect.stringMatching(/lamp/) })
  expect(await byKey('key', 'remove', key.split('_')[1] as string, '--client', 'admin')).toMatchObject({
    code: 0,
  })
  expect(await byKey('client', 'list')).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/token or key is invalid/),
  })
})
