/** A connection over which commands come needs no pings. The keep-alive is measured in real time. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'

test('fast path: commands and no pings for longer than the keep-alive → the connection stays', async () => {
  const dataDir = await withClients('radio')
  const broker = await BrokerUnderTest.start({ mqtt: true, dataDir })
  const login = { port: broker.mqttPort, username: 'radio', password: PASSWORD }
  const peer = await MqttPeer.connect({ ...login, keepalive: 1, reschedulePings: true })
  const pings: unknown[] = []
  peer.client.on('packetsend', ({ cmd }) => void (cmd === 'pingreq' && pings.push(cmd)))
  // Longer than one and a half times the keep-alive, after which a silent client is cut off.
  for (const begun = performance.now(); performance.now() - begun < 2_500; ) {
    await peer.publish('producer/request/lamp', { command: 'on', believerGuarantee: 'ONLY_LAST' })
  }
  expect(pings).toEqual([])
  expect(peer.client.connected).toBe(true)
})
