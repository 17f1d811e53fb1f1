/** Tests the fields of a command over REST: valid ones arrive unchanged, others are refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { BAD_MESSAGES, DATA } from '../_support/message-corpus.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let devices = 0
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  /** Sends a body to a device of its own. @returns the text that the device gets */
  async function delivered(body: string): Promise<string> {
    const device = `device ${++devices}`
    const sent = await broker.request(device, body)
    expect(sent).toMatchObject({ status: 200, body: { deliveryStatus: 'NOT_DELIVERED' } })
    return (await broker.poll(device)).text
  }

  const dataOf = async (body: string): Promise<string> => {
    const [, data] = /"data":([\s\S]*)\}\]$/.exec(await delivered(body)) ?? []
    return data ?? ''
  }

  describe('data', () => {
    test.each(DATA)('%s → byte for byte', async (data) => {
      expect(await dataOf(`{"command":"c","data":${data}}`)).toBe(data)
    })

    test('any place in the body, any spelling of its name → byte for byte', async () => {
      const data = '{ "n": 1.0 }'
      expect(await dataOf(`{"data":${data},"command":"c"}`)).toBe(data)
      expect(await dataOf(` {\n "other" : {"data":{"no":1}} , "data" :${data} ,"command":"c"}\n`)).toBe(data)
      expect(await dataOf(`{"command":"c","d\\u0061ta":${data}}`)).toBe(data)
      expect(await dataOf(`{"data":{"no":1},"command":"c","data":${data}}`)).toBe(data)
    })

    test.each(['NO', 'ONLY_LAST'])('guarantee %s → byte for byte', async (guarantee) => {
      const body = `{"command":"c","believerGuarantee":"${guarantee}","data":{"n":1.0}}`
      expect(await dataOf(body)).toBe('{"n":1.0}')
    })
  })

  describe('optional fields', () => {
    test('absent → data {}, guarantee RECEIPT_CONFIRMATION, tmpId null', async () => {
      const sent = await broker.request('bare', '{"command":"c"}')
      const { id } = sent.body as { id: number }
      expect(sent.text).toBe(`{"id":${id},"tmpId":null,"deliveryStatus":"NOT_DELIVERED"}`)
      const { body } = await broker.poll('bare')
      expect(body).toEqual([
        {
          id,
          currentTimestamp: expect.any(Number),
          command: 'c',
          believerGuarantee: 'RECEIPT_CONFIRMATION',
          data: {},
        },
      ])
    })

    test('null → the same as absent', async () => {
      const text = await delivered(
        '{"command":"c","data":null,"believerGuarantee":null,"messageBirthCertificate":null}',
      )
      expect(JSON.parse(text)).toMatchObject([{ believerGuarantee: 'RECEIPT_CONFIRMATION', data: {} }])
      const certificate = { tmpId: null, producerDeviseId: null }
      const sent = await broker.request('bare', { command: 'c', messageBirthCertificate: certificate })
      expect(sent).toMatchObject({ status: 200, body: { tmpId: null } })
    })

    test('unknown fields → ignored', async () => {
      const text = await delivered('{"command":"c","deliveryGuarantee":"NO","guarantee":"NO","id":5,"x":{}}')
      expect(JSON.parse(text)).toMatchObject([{ believerGuarantee: 'RECEIPT_CONFIRMATION' }])
    })
  })

  test.each([0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])('tmpId: %d → returned as sent', async (tmpId) => {
    const message = { command: 'c', messageBirthCertificate: { tmpId, producerDeviseId: '0' } }
    expect(await broker.request('echo', message)).toMatchObject({ status: 200, body: { tmpId } })
  })

  test.each(['c'.repeat(255), '😀'.repeat(255), ' ', 'line\nbreak', '"}]'])(
    'command: %j → accepted',
    async (command) => {
      expect(JSON.parse(await delivered(JSON.stringify({ command })))).toMatchObject([{ command }])
    },
  )

  describe('invalid command', () => {
    test.each(BAD_MESSAGES)('%s → 400 that says what is wrong, nothing is stored', async (body, message) => {
      const answer = await broker.request('refused', body)
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'Bad Request', message: expect.stringMatching(message) },
      })
      expect((await broker.poll('refused')).text).toBe('[]')
    })

    test('body of another media type → 415', async () => {
      const { url } = broker.server
      const response = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: '{"deviseId":"admin","password":"x"}',
      })
      expect(response.status).toBe(415)
    })
  })

  describe('device id', () => {
    test.each(['d'.repeat(255), '😀'.repeat(255)])('%s → accepted', async (deviceId) => {
      expect(await broker.request(deviceId, { command: 'c' })).toMatchObject({ status: 200 })
      expect((await broker.poll(deviceId)).body).toHaveLength(1)
    })

    test.each(['d'.repeat(256), 'a\0b', 'a\nb', 'a\u0085b'])('%j → 400', async (deviceId) => {
      const refused = { status: 400, body: { message: expect.stringContaining('"deviceId" in the path') } }
      expect(await broker.request(deviceId, { command: 'c' })).toMatchObject(refused)
      expect(await broker.poll(deviceId)).toMatchObject(refused)
      expect(await broker.acknowledge(deviceId, { id: 1 })).toMatchObject(refused)
    })

    test('absent, or one path segment too many → 404', async () => {
      expect((await broker.rest.put('/producer/request', { command: 'c' })).status).toBe(404)
      expect((await broker.rest.put('/producer/request/a/b', { command: 'c' })).status).toBe(404)
      expect((await broker.rest.get('/consumer/getLastMessage')).status).toBe(404)
    })
  })
})
