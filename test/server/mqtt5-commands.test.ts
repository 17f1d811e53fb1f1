/** Commands over MQTT 5: the message expiry interval is a validity, and each refusal has its reason code. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { MqttPeer } from '../_support/mqtt.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true, env: { WAYBILL_QUEUE_LIMIT: '1' } })
})

const connect = (options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({
    port: broker.mqttPort,
    username: 'admin',
    password: ADMIN_PASSWORD,
    protocolVersion: 5,
    ...options,
  })

interface Reason {
  readonly reasonCode?: number
  readonly properties?: { readonly reasonString?: string }
}

/** Publishes a command. @returns the reason of PUBACK or PUBREC */
async function submit(
  deviceId: string,
  payload: object | string,
  options: { readonly qos?: number; readonly properties?: object } = {},
  properties: object = {},
): Promise<Reason> {
  const peer = await connect({ properties })
  const answer = peer.packet(options.qos === 2 ? 'pubrec' : 'puback')
  await peer.publish(`producer/request/${deviceId}`, payload, options).catch(() => {})
  return answer as Promise<Reason>
}

async function termsOf(deviceId: string): Promise<unknown> {
  const id = await broker.next(deviceId)
  const { body } = await broker.rest.get(`/admin/api/messages/${id}?details=true`)
  return (body as { terms: unknown }).terms
}

describe('message expiry', () => {
  test.each([
    ['60', 60, {}, 60],
    ['0 → a second', 0, { delaySeconds: null }, 1],
    ['4294967295 → a year', 4_294_967_295, {}, 31_536_000],
    ['60, the payload has another validity', 60, { validSeconds: 90 }, 90],
  ])('%s', async (_what, messageExpiryInterval, terms, validSeconds) => {
    for (const qos of [1, 2]) {
      const deviceId = `lamp-${qos}`
      await submit(deviceId, { command: 'on', ...terms }, { qos, properties: { messageExpiryInterval } })
      expect(await termsOf(deviceId)).toMatchObject({ validSeconds })
    }
  })

  test('none → no terms; another property → no terms', async () => {
    await submit('lamp', { command: 'on' })
    await submit('radio', { command: 'on' }, { properties: { contentType: 'application/json' } })
    expect([await termsOf('lamp'), await termsOf('radio')]).toEqual([null, null])
  })

  test('shorter than the delay of the payload → 0x99', async () => {
    const options = { properties: { messageExpiryInterval: 10 } }
    expect((await submit('lamp', { command: 'on', delaySeconds: 10 }, options)).reasonCode).toBe(0x99)
    expect(await broker.next('lamp')).toBe(null)
  })

  test('a repeated submit with less time left → the same message', async () => {
    const command = { command: 'on', idempotencyKey: 'order' }
    for (const messageExpiryInterval of [60, 50]) {
      const answer = await submit('lamp', command, { properties: { messageExpiryInterval } })
      expect(answer.reasonCode ?? 0).toBe(0)
    }
  })
})

describe('refused commands', () => {
  const FINISHING_NO = { command: 'on', believerGuarantee: 'NO', finishSeconds: 1 }
  const expected: [what: string, code: number, reason: RegExp, submit: () => Promise<Reason>][] = [
    ['full queue', 0x97, /full/, () => submit('full', { command: 'on' })],
    ['no command', 0x99, /"command" is missing/, () => submit('lamp', {})],
    ['NO with a finish time', 0x99, /finish/i, () => submit('lamp', FINISHING_NO)],
    ['key of other content', 0x83, /key/i, () => submit('lamp', { command: 'b', idempotencyKey: 'order' })],
  ]
  beforeEach(async () => {
    await broker.send('full', { command: 'on' })
    await submit('radio', { command: 'a', idempotencyKey: 'order' })
  })

  test.each(expected)('%s → its code and the reason', async (_what, code, reason, refused) => {
    const { reasonCode, properties } = await refused()
    expect(reasonCode).toBe(code)
    expect(properties).toEqual({ reasonString: expect.stringMatching(reason) })
  })

  test('the client declined problem information → the code alone; QoS 2 → the same codes', async () => {
    const declined = { requestProblemInformation: false }
    const answer = await submit('full', { command: 'on' }, {}, declined)
    expect([answer.reasonCode, answer.properties]).toEqual([0x97, undefined])
    expect((await submit('full', { command: 'on' }, { qos: 2 })).reasonCode).toBe(0x97)
  })
})
