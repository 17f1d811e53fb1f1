/** The commands that take devices out of service, and keep notes. */
import { beforeAll, expect, test } from 'vitest'
import { localTime } from '../../src/cli/times.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { type CommandResult, jsonLines, waybill } from '../_support/command.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

const serviceOf = async (deviceId: string) =>
  ((await broker.rest.get(`/admin/api/devices/${deviceId}?details=true`)).body as { service: unknown })
    .service

test('devices service: a reason and an end, then --end → out of service, and back', async () => {
  const before = Date.now()
  const out = await run('devices', 'service', 'pump', 'valve', '--reason', 'parts', '--until', '8h')
  expect(out).toMatchObject({ code: 0, stdout: '2 now out of service\n' })
  const service = (await serviceOf('pump')) as { untilDate: number; reason: string }
  expect(service.reason).toBe('parts')
  expect(service.untilDate).toBeGreaterThanOrEqual(before + 28_800_000)
  const shown = await run('devices', 'show', 'pump')
  expect(shown.stdout).toContain(`until ${localTime(service.untilDate)}, by admin: parts`)
  const back = await run('devices', 'service', 'pump', 'lamp', '--end')
  expect(back).toMatchObject({ code: 0, stdout: '1 now in service; 1 were so already\n' })
  expect(await serviceOf('pump')).toBeNull()
  expect(jsonLines(await run('devices', 'service', 'valve', '--end', '--json'))).toEqual([
    { changed: 1, unchanged: 0 },
  ])
})

test.each([
  ['neither --reason nor --end', []],
  ['both', ['--reason', 'a', '--end']],
  ['--end with --until', ['--end', '--until', '8h']],
  ['an end in the past', ['--reason', 'a', '--until', '2020-01-31']],
])('devices service: %s → usage, and nothing changes', async (_what, flags) => {
  expect((await run('devices', 'service', 'fan', ...flags)).code).toBe(2)
  expect(await serviceOf('fan')).toBeNull()
})

test('devices note, notes: added, listed, removed → newest first; an unknown one → not found', async () => {
  expect((await run('devices', 'notes', 'pump')).stderr).toContain('there is no note about "pump"')
  await run('devices', 'note', 'pump', 'valve ordered')
  expect((await run('devices', 'note', 'pump', 'ключ у Ирины')).stdout).toMatch(/^note \d+ added\n$/)
  const notes = jsonLines(await run('devices', 'notes', 'pump', '--json')) as { id: number; text: string }[]
  expect(notes.map(({ text }) => text)).toEqual(['ключ у Ирины', 'valve ordered'])
  expect((await run('devices', 'notes', 'pump')).stdout).toContain('valve ordered')
  const remove = () => run('devices', 'notes', 'pump', '--remove', String(notes[0]?.id))
  expect((await remove()).code).toBe(0)
  expect((await remove()).code).not.toBe(0)
  expect(jsonLines(await run('devices', 'notes', 'pump', '--json'))).toHaveLength(1)
})
