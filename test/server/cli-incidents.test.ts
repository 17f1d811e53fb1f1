/** `waybill incidents` against a server: the list, and each change of a state. */
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { type CommandResult, jsonLines, waybill } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'

let broker: BrokerUnderTest
let id: string
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ replaced: { recordingMs: 5 } })
  // A disk that is nearly full would be an incident of its own.
  await broker.rest.put('/admin/api/incident-rules', {
    rules: [{ kind: 'DISK_NEARLY_FULL', isEnabled: false }],
  })
  const message = await broker.send('pump', { command: 'open' })
  await broker.acknowledge('pump', { id: message, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  id = await eventually(async () => {
    const [incident] = jsonLines(await run('incidents', '--json')) as { id: number; key: string }[]
    expect(incident).toMatchObject({ key: 'FAILED:open', state: 'OPEN' })
    return String(incident?.id)
  })
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

test('incidents: ack, mute, resolve → the list shows each; after the end exit code 1, and 5 for an unknown one', async () => {
  expect(await run('incidents', 'ack', id, '--note', 'on my way')).toMatchObject({
    code: 0,
    stdout: `${id} acknowledged\n`,
  })
  const [heading, row] = (await run('incidents')).stdout.trim().split('\n')
  expect(heading).toMatch(/^ID +CLASS +STATE +INCIDENT +STARTED +DEVICES +MESSAGES +WAITING +BY +NOTE$/)
  expect(row).toMatch(/4 +ACKNOWLEDGED +FAILED:open +20[\d :-]+ +1 +1 +0 +admin +on my way$/)
  expect(await run('incidents', 'mute', id, '--until', '2h')).toMatchObject({ code: 0 })
  expect((await run('incidents')).stdout).toContain('MUTED')
  expect(await run('incidents', 'resolve', id, '--note', 'done')).toMatchObject({ code: 0 })
  expect(await run('incidents')).toMatchObject({ code: 0, stderr: 'waybill: no incident is open\n' })
  expect((await run('incidents', '--history')).stdout).toContain('FAILED:open')
  expect(await run('incidents', 'ack', id)).toMatchObject({ code: 1 })
  expect(await run('incidents', 'ack', '999')).toMatchObject({ code: 5 })
})

test.each([
  ['mute', '1'],
  ['mute', '1', '--until', 'soon'],
  ['resolve', '1'],
])('incidents %s → exit code 2', async (...argv) => {
  expect(await run('incidents', ...argv)).toMatchObject({ code: 2 })
})
