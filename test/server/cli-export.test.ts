/** `waybill export`, and the filters that it shares with `waybill messages`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { type CommandResult, jsonLines, waybill } from '../_support/command.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  for (const [device, command, data] of [
    ['pump-1', 'start', { part: 'valve' }],
    ['pump-2', 'stop', {}],
    ['lamp', 'start', {}],
  ] as const)
    await broker.send(device, { command, data })
  await broker.acknowledge('pump-1', { id: 1, deliveryStatus: 'COMPLETED_WITH_ERROR' })
})

const run = (...argv: string[]): Promise<CommandResult> =>
  waybill(...argv, '--url', broker.server.url, '--token', broker.token)

const idsOf = (text: string): unknown[] => jsonLines({ stdout: text }).map(({ id }) => id)

describe('messages', () => {
  test.each([
    [['--failed', '--no-resent'], [1]],
    [
      ['--search', 'PUMP'],
      [2, 1],
    ],
    [['--text', 'VALVE'], [1]],
    [['pump-2', '--search', 'st'], [2]],
  ])('%j → %j', async (flags, expected) => {
    const { stdout } = await run('messages', ...flags, '--json')
    expect(idsOf(stdout)).toEqual(expected)
  })

  test('a short text → refused', async () => {
    expect(await run('messages', '--text', 'ab')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 3 characters'),
    })
  })
})

describe('export', () => {
  test('without a file → CSV on the standard output', async () => {
    const { code, stdout, stderr } = await run('export', 'lamp')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^id,deviseId,.*\r\n3,lamp,start,NOT_DELIVERED,.*\r\n$/s)
  })

  test('devices and filters, lines of JSON → a file for its owner alone', async () => {
    const file = join(temporaryDirectory(), 'week.jsonl')
    const flags = ['--format', 'jsonl', '--output', file, '--since', '1d']
    expect(await run('export', 'pump-1', 'lamp', ...flags)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(idsOf(readFileSync(file, 'utf8'))).toEqual([3, 1])
  })

  test('times of the last change → only messages that changed then, as the list has them', async () => {
    const { body } = await broker.rest.get('/admin/api/messages?details=true')
    const [lamp, stopped, failed] = body as { id: number; changedDate: number }[]
    const lastMs = failed?.changedDate as number
    expect([lamp?.id, stopped?.id, failed?.id]).toEqual([3, 2, 1])
    const at = new Date(lastMs).toISOString()
    const exported = async (...flags: string[]): Promise<unknown[]> =>
      idsOf((await run('export', '--format', 'jsonl', ...flags)).stdout)

    expect(await exported('pump-1', '--changed-since', at)).toEqual([1])
    expect(await exported('pump-1', '--changed-until', at)).toEqual([])
    expect(await exported('--failed', '--changed-since', '1h', '--changed-until', '2100-01-01')).toEqual([1])
    expect(await exported('--changed-since', '2100-01-01')).toEqual([])
    const { stdout } = await run('messages', 'pump-1', '--changed-since', at, '--json')
    expect(idsOf(stdout)).toEqual([1])
  })

  test('the file exists → refused; with --force → replaced', async () => {
    const file = join(temporaryDirectory(), 'week.csv')
    writeFileSync(file, 'old')
    expect(await run('export', '--output', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    })
    expect(await run('export', '--output', file, '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toMatch(/^id,/)
  })

  test('a directory that is missing, no right → exit codes, no file', async () => {
    const directory = temporaryDirectory()
    const missing = await run('export', '--output', join(directory, 'none', 'a.csv'))
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written (ENOENT)') })
    mkdirSync(join(directory, 'd'))
    const wrong = await waybill(
      'export',
      '--url',
      broker.server.url,
      '--token',
      'no',
      '-o',
      join(directory, 'b'),
    )
    expect(wrong.code).toBe(4)
    expect(readdirSync(directory)).toEqual(['d'])
  })

  test('the server cuts the export off → exit code 1, no file', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' })
      response.write('id,deviseId\r\n', () => response.destroy())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    whenDone(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const file = join(temporaryDirectory(), 'a.csv')
    const cut = await waybill('export', '--url', url, '--token', 'x', '--output', file)
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('it is not whole') })
    expect(existsSync(file)).toBe(false)
    expect(await waybill('export', '--url', url, '--token', 'x')).toMatchObject({ code: 1 })
  })
})
