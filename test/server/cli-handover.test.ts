/** `waybill handover` and the calls of the client against a server. */
import { beforeEach, expect, test } from 'vitest'
import { Client, RequestError } from '../../src/client/index.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { type CommandResult, waybill } from '../_support/command.ts'

let broker: BrokerUnderTest
const command = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

beforeEach(async () => {
  broker = await BrokerUnderTest.start()
  const id = await broker.send('valve', { command: 'open' })
  await broker.acknowledge('valve', { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'stuck' })
})

test('handover: a failure → a text in the local time; in Russian on request', async () => {
  const { code, stdout } = await command('handover', '--since', '1h')
  expect(code).toBe(0)
  expect(stdout.split('\n')[0]).toMatch(/^Hand-over: \d{4}-\d\d-\d\d \d\d:\d\d to .* \(UTC[+-]\d\d:\d\d\)$/)
  expect(stdout).toContain('\n- open failed: 1, devices 1, before 0: stuck\n')
  expect(stdout.endsWith('\n') && !stdout.endsWith('\n\n')).toBe(true)
  const russian = await command('handover', '--language', 'ru')
  expect(russian.stdout).toContain('\n- open, с ошибкой: 1, устройств 1, до этого 0: stuck\n')
})

test('handover --json: a time of day, a range → the answer as one line; no earlier visit → the advice', async () => {
  const { code, stdout } = await command('handover', '--from', '2h', '--json')
  expect([code, stdout.trimEnd().split('\n')]).toEqual([0, [expect.any(String)]])
  expect(JSON.parse(stdout)).toMatchObject({ failures: { total: 1, items: [{ command: 'open' }] } })
  const today = JSON.parse((await command('handover', '--since', '00:00', '--json')).stdout)
  expect(new Date(today.fromDate as number).toTimeString()).toMatch(/^00:00:00/)
  expect(Date.now() - today.fromDate).toBeLessThan(25 * 3_600_000)
  const last = await command('handover', '--since', 'last')
  expect([last.code, last.stderr]).toEqual([
    1,
    expect.stringContaining('No earlier sign-in of this client is known. Choose a time for "from".'),
  ])
})

test('client: handover and its text → as the server answers; a bad range → 400', async () => {
  const client = new Client({ url: broker.server.url, token: broker.token })
  const { failures, figures } = await client.handover()
  expect([failures.total, figures.total]).toEqual([1, 4])
  expect(await client.handoverText({ utcOffset: -90 })).toContain('(UTC-01:30)\n')
  const error = await client.handoverText({ from: 0 }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(RequestError)
  expect(error).toMatchObject({ status: 400, code: 'bad-range' })
})
