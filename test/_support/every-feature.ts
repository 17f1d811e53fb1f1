/**
 * Neighbours of a client: devices and producers that use every feature added after the first release, round by round.
 */
import type { BrokerUnderTest } from './broker.ts'
import { MqttPeer } from './mqtt.ts'
import type { Answer } from './rest.ts'

/** Uses all features until `isOver` returns true. Returns the number of rounds. @throws when a feature is refused */
export async function useEveryFeature(broker: BrokerUnderTest, isOver: () => boolean): Promise<number> {
  const gateway = await Gateway.connect(broker)
  let rounds = 0
  do {
    const device = `neighbour-${rounds}`
    await deviceOverRest(broker, device)
    await endings(broker, device)
    await gateway.serve(`neighbour-mqtt-${rounds}`)
    rounds++
  } while (!isOver())
  await gateway.close()
  return rounds
}

function expectOk(answer: Answer, ...statuses: readonly number[]): Answer {
  if (![200, 201, ...statuses].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

/** Configures a device, waits for a command with all terms, reports a result and asks for a pause. */
async function deviceOverRest(broker: BrokerUnderTest, device: string): Promise<void> {
  const { rest } = broker
  const settings = { sendMessagePeriod: 1, maxAttempts: 3, validSeconds: 600, details: true, queueLimit: 50 }
  expectOk(await rest.put(`/admin/api/devices/${device}`, settings))
  const waiting = rest.get(`/consumer/getLastMessage/${device}?wait=10`)
  const id = await broker.send(device, {
    command: 'start',
    data: { speed: 1 },
    validSeconds: 60,
    finishSeconds: 600,
    maxAttempts: 5,
    idempotencyKey: `key-of-${device}`,
    messageBirthCertificate: { tmpId: 5, producerDeviseId: 'neighbour-shop', details: true },
  })
  expectOk(await waiting)
  const status = rest.get(`/producer/getMessageStatus/${id}?wait=10&details=true`)
  const report = { id, deliveryStatus: 'COMPLETED', result: { rpm: 1.0 }, reason: 'runs' }
  expectOk(await broker.acknowledge(device, report))
  expectOk(await status)
  expectOk(await broker.acknowledge(device, { busySeconds: 60 }))
  expectOk(await broker.acknowledge(device, { busySeconds: 0 }))
  expectOk(await rest.get(`/producer/messages/${id}`))
  expectOk(await rest.get(`/admin/api/messages?details=true&deviseId=${device}`))
}

/** Cancels, replaces, repeats, delays, expires and replays. */
async function endings(broker: BrokerUnderTest, device: string): Promise<void> {
  const { rest } = broker
  const cancelled = await broker.send(device, { command: 'a' })
  expectOk(await rest.post(`/producer/cancelMessage/${cancelled}`, {}))
  const replaced = await broker.send(device, { command: 'b', delaySeconds: 500 })
  await broker.send(device, { command: 'c', replaces: replaced, idempotencyKey: `again-${device}` })
  expectOk(
    await broker.request(device, { command: 'c', replaces: replaced, idempotencyKey: `again-${device}` }),
  )
  expectOk(await rest.post(`/producer/cancelMessages/${device}`, { force: true }))
  const unfinished = await broker.send(device, { command: 'd', finishSeconds: 1 })
  const expiring = await broker.send(`${device}-away`, { command: 'e', validSeconds: 1 })
  await broker.poll(device)
  expectOk(await broker.acknowledge(device, { id: unfinished, deliveryStatus: 'DELIVERED' }))
  for (const id of [unfinished, expiring])
    expectOk(await rest.get(`/producer/getMessageStatus/${id}?wait=10`))
  expectOk(await rest.post(`/producer/replayMessage/${unfinished}`, {}))
  expectOk(await rest.post(`/admin/api/devices/${device}/cancel`, { force: true }))
}

/** Client with a `devices` list that serves its children over one MQTT 5 connection. */
class Gateway {
  readonly #peer: MqttPeer

  private constructor(peer: MqttPeer) {
    this.#peer = peer
  }

  static async connect({ rest, mqttPort }: BrokerUnderTest): Promise<Gateway> {
    const login = { deviseId: 'neighbour-gateway', password: 'a gateway' }
    expectOk(
      await rest.post('/admin/api/clients', { ...login, role: 'DEVISE', devices: ['neighbour-mqtt-*'] }),
    )
    const { deviseId: username, password } = login
    const peer = await MqttPeer.connect({ port: mqttPort, username, password, protocolVersion: 5 })
    await peer.subscribe('consumer/request/+')
    return new Gateway(peer)
  }

  async serve(device: string): Promise<void> {
    await this.#peer.publish(
      `producer/request/${device}`,
      { command: 'on' },
      { properties: { messageExpiryInterval: 60 } },
    )
    const { topic, text } = await this.#peer.next()
    const { id } = JSON.parse(text) as { id: number }
    const report = { id, deliveryStatus: 'COMPLETED', result: [1], reason: 'done' }
    await this.#peer.publish(topic.replace('consumer/request', 'consumer/response'), report)
    await this.#peer.publish(`producer/request/${device}`, { command: 'off', delaySeconds: 500 })
    await this.#peer.publish(`producer/cancel/${device}`, {})
  }

  async close(): Promise<void> {
    await this.#peer.client.endAsync()
  }
}
