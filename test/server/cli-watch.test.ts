/** `waybill watch` with a running server: times, filters, and its end after a number of changes. Runs over each adapter. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { jsonLines, startWaybill, waybill } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'

/** Starts the command, and resolves when it receives changes. */
async function watch(broker: BrokerUnderTest, ...argv: string[]) {
  const to = ['--url', broker.server.url, '--token', broker.token]
  const { written, ended } = startWaybill('watch', ...argv, ...to)
  await eventually(async () => expect(written.stdout + written.stderr).toMatch(/watching|ready/))
  return { written, ended }
}

test('watch: changes → a line each with the local time; a note when it begins', async () => {
  const broker = await BrokerUnderTest.start()
  const { written, ended } = await watch(broker, '--count', '2')
  const id = await broker.send('pump', { command: 'start' })
  await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
  expect(await ended).toBe(0)
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`
  expect(written.stdout).toMatch(
    new RegExp(`^${time} message +pump ${id} NOT_DELIVERED\n${time} (message|connection) +pump .*\n$`),
  )
  expect(written.stderr).toMatch(
    new RegExp(`^waybill: ${time} watching http://127\\.0\\.0\\.1:\\d+, Ctrl-C ends\n$`),
  )
})

test('watch --json: ready, then each change with an ISO time and an id that --after takes', async () => {
  const broker = await BrokerUnderTest.start()
  const { written, ended } = await watch(broker, '--json', '--kind', 'message', '--count', '1')
  const [first, second] = [
    await broker.send('pump', { command: 'start' }),
    await broker.send('pump', { command: 'stop' }),
  ]
  expect(await ended).toBe(0)
  const [ready, change] = jsonLines(written)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(ready).toEqual({ time, id: expect.any(String), event: 'ready', data: {} })
  expect(change).toMatchObject({ time, event: 'message', data: { id: first, deviseId: 'pump' } })
  const later = await watch(broker, '--json', '--after', String(change?.id), '--count', '1')
  expect(await later.ended).toBe(0)
  expect(jsonLines(later.written).at(-1)).toMatchObject({ data: { id: second } })
})

test('watch: --device, --command, --status → only what matches all of them', async () => {
  const broker = await BrokerUnderTest.start()
  const filters = ['--device', 'pump', '--command', 'start', '--status', 'CANCELLED']
  const { written, ended } = await watch(broker, '--json', ...filters, '--count', '1')
  const cancel = async (deviceId: string, command: string): Promise<number> => {
    const id = await broker.send(deviceId, { command })
    await broker.rest.post(`/producer/cancelMessage/${id}`, {})
    return id
  }
  await cancel('valve', 'start')
  await cancel('pump', 'stop')
  const id = await cancel('pump', 'start')
  expect(await ended).toBe(0)
  expect(jsonLines(written).slice(1)).toMatchObject([
    { event: 'message', data: { id, deviseId: 'pump', deliveryStatus: 'CANCELLED' } },
  ])
})

test('watch: a role without the right → exit code 4, before any line', async () => {
  const broker = await BrokerUnderTest.start()
  await broker.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'sesame' })
  const as = ['--url', broker.server.url, '--user', 'pump', '--password', 'sesame']
  expect(await waybill('watch', ...as)).toEqual({
    code: 4,
    stdout: '',
    stderr: 'waybill: One of the roles MAN, READER is required. Use the token of a client that has it.\n',
  })
})
