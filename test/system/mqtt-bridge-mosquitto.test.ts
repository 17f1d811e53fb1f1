/** A mosquitto bridge with 1,000 children behind it: one subscription is enough for the commands of all. */
import { describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { hasMosquittoBroker, mosquittoBridge } from '../_support/mosquitto-broker.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const CHILDREN = Array.from({ length: 1_000 }, (_, i) => `child-${i}`)

describe.skipIf(!hasMosquittoBroker)('mosquitto bridge', () => {
  test.each(['mqttv311', 'mqttv50'])(
    '%s: 1,000 children have commands before and after it connects → each is completed once',
    async (version) => {
      const env = { COMMON_SEND_MESSAGE_PERIOD: '0', APP_SECURITY_OWN_QUEUE_ONLY: 'true' }
      const broker = await BrokerUnderTest.start({ mqtt: true, env })
      const sendToAll = () => Promise.all(CHILDREN.map((child) => broker.send(child, { command: 'on' })))
      const before = await sendToAll()
      const port = await mosquittoBridge([
        `address 127.0.0.1:${broker.mqttPort}`,
        `bridge_protocol_version ${version}`,
        ...['remote_username site', 'remote_password sesame', 'remote_clientid site-1'],
        ...['notifications false', 'try_private true'],
        'topic consumer/request/+ in 1',
        'topic consumer/response/+ out 1',
      ])
      const children = await MqttPeer.connect({ port, protocolVersion: 4 })
      await children.subscribe('consumer/request/+')
      // The bridge cannot log in before the children listen. mosquitto would drop commands without a subscriber.
      const client = { deviseId: 'site', password: 'sesame', devices: ['child-*'] }
      await broker.rest.post('/admin/api/clients', client)
      const given = new Map<number, number>()
      const serve = async (): Promise<void> => {
        const { topic, text } = await children.next()
        const { id } = JSON.parse(text) as { id: number }
        given.set(id, (given.get(id) ?? 0) + 1)
        const answer = topic.replace('request', 'response')
        await children.publish(answer, { id, deliveryStatus: 'COMPLETED' })
      }
      while (given.size < before.length) await serve()
      const after = await sendToAll()
      while (given.size < before.length + after.length) await serve()
      const pending = async (): Promise<unknown> =>
        (await broker.rest.get('/admin/api/messages?status=NOT_DELIVERED')).body
      await expect.poll(pending).toEqual([])
      const ascending = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b)
      expect(ascending([...given.keys()])).toEqual(ascending([...before, ...after]))
    },
  )
})
