/** `waybill runs`, `waybill devices --unseen` and `waybill devices log` against a server. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { type CommandResult, startWaybill, waybill } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'

let broker: BrokerUnderTest
const command = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

beforeEach(async () => {
  broker = await BrokerUnderTest.start({ dataDir: await withClients('silent') })
  await broker.next('meter')
  await broker.send('meter', { command: 'go' })
})

test('runs: the present run → its release, without an end', async () => {
  const { code, stdout } = await command('runs')
  expect([code, stdout.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^ID +NODE +RELEASE +STARTED +ALIVE +DURATION +END$/),
  ])
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  const { stdout: json } = await command('runs', '--since', '1h', '--json')
  expect(JSON.parse(json.trim().split('\n')[0] as string)).toMatchObject({ endedDate: null, how: null })
})

test('devices --unseen: a device that was never seen → listed; one that polled just now → not', async () => {
  const { code, stdout } = await command('devices', '--unseen', '1h')
  expect([code, stdout]).toEqual([0, expect.stringContaining('silent')])
  expect(stdout).not.toContain('meter')
})

test('devices log: polls and a change by a person → newest first; one kind → those alone', async () => {
  await broker.rest.put('/admin/api/devices/meter', { maxAttempts: 3 })
  const { code, stdout } = await command('devices', 'log', 'meter')
  expect(code).toBe(0)
  expect([...stdout.matchAll(/ (CHANGED|POLLS|SERVER) /g)].map(([, kind]) => kind)).toEqual([
    'CHANGED',
    'POLLS',
    'SERVER',
  ])
  expect(stdout).toMatch(/CHANGED +device\.settings .* admin +\{"maxAttempts":3\}/)
  const { stdout: polls } = await command('devices', 'log', 'meter', '--kind', 'POLLS', '--since', '1h')
  expect(polls.trimEnd().split('\n')).toHaveLength(2)
})

test('devices log --follow: the newest entries, then each new one, oldest first; --kind → others are left out', async () => {
  const to = ['--url', broker.server.url, '--token', broker.token]
  const kinds = ['--limit', '1', '--count', '2']
  const { written, ended } = startWaybill('devices', 'log', 'meter', '--follow', ...kinds, ...to)
  await eventually(async () => expect(written.stdout).toContain('POLLS'))
  await broker.rest.post('/admin/api/devices/other/notes', { text: 'of another device' })
  await broker.rest.post('/admin/api/devices/meter/notes', { text: 'first' })
  await eventually(async () => expect(written.stdout).toContain('first'))
  await broker.rest.post('/admin/api/devices/meter/notes', { text: 'second' })
  expect(await ended).toBe(0)
  expect(written.stderr).toMatch(/^waybill: [\d-]+ \d\d:\d\d:\d\d watching http:.*, Ctrl-C ends\n$/)
  expect(written.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^TIME +KIND/),
    expect.stringMatching(/POLLS/),
    expect.stringMatching(/NOTE .*first/),
    expect.stringMatching(/NOTE .*second/),
  ])
})
