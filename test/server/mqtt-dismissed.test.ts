/** A connection ends when its client is deleted or changed, or its token expires. Its will is not published. */
import { beforeEach, expect, test } from 'vitest'
import { PASSWORD } from '../_support/clients.ts'
import { MqttPeer, refusalOf } from '../_support/mqtt.ts'
import { MqttUnderTest } from '../_support/mqtt-server.ts'

let server: MqttUnderTest
beforeEach(async () => {
  server = await MqttUnderTest.start({ lamp: 'DEVISE', radio: 'DEVISE', boss: 'MAN' })
})

const will = { topic: 'telemetry/will', payload: Buffer.from('gone'), qos: 1, retain: false } as const
const connect = (username: string, options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: server.port, username, password: PASSWORD, protocolVersion: 5, will, ...options })

test('client deleted: it has two connections with a will → both end, login refused, no will published', async () => {
  const witness = await connect('boss')
  await witness.subscribe('telemetry/#')
  const peers = [await connect('lamp'), await connect('lamp', { protocolVersion: 4 })]
  const goodbye = peers[0]?.packet('disconnect')
  await server.clients.remove(server.id('lamp'))
  for (const { closed } of peers) await closed
  expect((await goodbye)?.reasonCode).toBe(0x87)
  expect(await refusalOf({ port: server.port, username: 'lamp', password: PASSWORD })).toBe(4)
  expect(await witness.rest()).toEqual([])
})

test('role changed: the client is connected → disconnected; it connects again with the new role', async () => {
  const peer = await connect('lamp')
  expect(await peer.subscribe('#')).toEqual([0x87])
  await server.clients.change(server.id('lamp'), { role: 'MAN' })
  await peer.closed
  expect(await (await connect('lamp')).subscribe('#')).toEqual([1])
})

test('role changed: a kept session has a filter that is no longer allowed → nothing is delivered for it', async () => {
  const session = { clientId: 'kept', clean: false, protocolVersion: 4 as const }
  const boss = await connect('boss', session)
  await boss.subscribe('secret')
  await boss.end()
  await server.clients.change(server.id('radio'), { role: 'MAN' })
  await server.clients.change(server.id('boss'), { role: 'DEVISE' })
  await (await connect('radio')).publish('secret', 'x')
  expect(await (await connect('boss', session)).rest()).toEqual([])
})

test('client deleted: another client is connected → it stays connected', async () => {
  const radio = await connect('radio')
  const lamp = await connect('lamp')
  await server.clients.remove(server.id('lamp'))
  await lamp.closed
  expect(await radio.subscribe('telemetry/x')).toEqual([1])
})

test('token expires: one connection by token, one by password → only the first ends', async () => {
  const { token } = await server.accounts.login('lamp', PASSWORD, '')
  const byToken = await connect('lamp', { password: token })
  const byPassword = await connect('lamp')
  server.endTimer()
  expect(await byToken.subscribe('telemetry/x')).toEqual([1])
  server.clock.nowMs += 3_600_000
  server.endTimer()
  await byToken.closed
  expect(await byPassword.subscribe('telemetry/x')).toEqual([1])
})
