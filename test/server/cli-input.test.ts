/** JSON that a flag names: as its value, in a file, on the standard input. And the interruption of a simulated device. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { waybillWith, withoutTimes } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'

let broker: BrokerUnderTest
let to: string[]
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
  to = ['--url', broker.server.url, '--token', broker.token]
})

function fileWith(content: string | Buffer): string {
  const path = join(temporaryDirectory(), 'data.json')
  writeFileSync(path, content)
  return path
}

const DATA = '{"big":12345678901234567890,\n "one":1.0}'

describe('--data', () => {
  test.each([
    ['@FILE', () => ({ data: `@${fileWith(`\ufeff${DATA}\n`)}`, input: '' })],
    ['-', () => ({ data: '-', input: DATA })],
  ])('%s → sent byte for byte', async (source, given) => {
    const device = `from ${source.replace('@', '')}`
    const { data, input } = given()
    const sent = await waybillWith({ input }, 'send', device, 'go', '--data', data, ...to)
    expect(sent).toMatchObject({ code: 0, stderr: '' })
    expect((await broker.poll(device)).text).toContain(`"data":${DATA}`)
  })

  test.each([
    [() => '@missing.json', 'missing.json cannot be read: there is no such file'],
    [() => `@${temporaryDirectory()}`, 'cannot be read: EISDIR'],
    [() => `@${fileWith(Buffer.from([0x7b, 0xff]))}`, 'is not UTF-8: save it as UTF-8'],
    [() => `@${fileWith('')}`, 'data.json: it is empty'],
    [() => `@${fileWith('{\n  "a": 1,\n  b: 2\n}')}`, 'data.json: line 3, column 3: unexpected "b: 2"'],
    [() => '{"a":tru}', `such as '{"speed":1}': line 1, column 6: unexpected "tru}"`],
    [() => '{"a":1', `such as '{"speed":1}': line 1, column 7: unexpected end`],
    [() => '-', `such as '{"speed":1}': it is empty`],
    [() => '[1]', `--data: expected a JSON object, such as '{"speed":1}'`],
  ])('%s → exit code 2: %s', async (data, message) => {
    const ended = await waybillWith({}, 'send', 'x', 'y', '--data', data(), ...to)
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('simulate', () => {
  test('it says what it does, and Ctrl-C ends it with exit code 0', async () => {
    const id = await broker.send('lamp', { command: 'on', data: { level: 1 } })
    const controller = new AbortController()
    const flags = ['--fail', '--result', '-', ...to]
    const running = waybillWith(
      { input: '[1.0]', interruption: controller.signal },
      ...['simulate', 'lamp', ...flags],
    )
    await eventually(async () => expect(await broker.status(id)).toBe('COMPLETED_WITH_ERROR'))
    controller.abort()
    const { code, stdout, stderr } = await running
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d /)
    expect(withoutTimes(stdout)).toBe(`${id} on {"level":1} COMPLETED_WITH_ERROR\n`)
    const does = 'acknowledges each command as DELIVERED, then as COMPLETED_WITH_ERROR'
    expect(stderr).toBe(
      `waybill: simulating lamp over REST at ${broker.server.url}: it ${does}; Ctrl-C stops it\nwaybill: stopped after 1 command\n`,
    )
  })

  test('interrupted before a late acknowledgement → the command stays DELIVERED', async () => {
    const id = await broker.send('slow', { command: 'on' })
    const controller = new AbortController()
    const argv = ['simulate', 'slow', '--late', '1000', '--json', ...to]
    const running = waybillWith({ interruption: controller.signal }, ...argv)
    await eventually(async () => expect(await broker.status(id)).toBe('DELIVERED'))
    controller.abort()
    expect(await running).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await broker.status(id)).toBe('DELIVERED')
  })
})
