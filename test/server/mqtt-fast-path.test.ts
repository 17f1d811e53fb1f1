/** The fast path takes commands past the MQTT library: it keeps their order and does all that the library does for them. */
import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { generate, type IPubackPacket, type Packet, parser } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { CONNECTION_LIMITS } from '../../src/mqtt/connection.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { MqttUnderTest } from '../_support/mqtt-server.ts'
import { runs } from '../_support/runs.ts'

type Kind = 'QoS 1' | 'QoS 0' | 'QoS 2' | 'with properties' | 'ping' | 'subscribe'

/** Encodes what a session sends. The name of each command is its index. */
function packetsOf(kinds: readonly Kind[], version: 4 | 5, device: string): Buffer[] {
  return kinds.map((kind, i) => {
    const messageId = i + 1
    const publish = (fields: object): object => {
      const payload = JSON.stringify({ command: String(i) })
      return { cmd: 'publish', topic: `producer/request/${device}`, payload, ...fields }
    }
    const packets: Record<Kind, object> = {
      'QoS 0': publish({ qos: 0 }),
      'QoS 1': publish({ qos: 1, messageId }),
      'QoS 2': publish({ qos: 2, messageId }),
      'with properties': publish({ qos: 1, messageId, properties: { contentType: 'application/json' } }),
      ping: { cmd: 'pingreq' },
      subscribe: { cmd: 'subscribe', messageId, subscriptions: [{ topic: 'telemetry/x', qos: 0 }] },
    }
    return generate(packets[kind] as Packet, { protocolVersion: version })
  })
}

function connectPacket(protocolVersion: 4 | 5, fields: object = {}): Buffer {
  const login = { username: 'radio', password: Buffer.from(PASSWORD) }
  const properties = protocolVersion === 5 ? { sessionExpiryInterval: 60 } : undefined
  const packet = { cmd: 'connect', clientId: '', clean: true, keepalive: 0, protocolVersion, properties }
  return generate({ ...packet, ...login, ...fields } as Packet)
}

/** @param onPacket called with each incoming packet, until it returns true */
async function exchange(
  port: number,
  version: 4 | 5,
  send: (socket: Socket) => void,
  onPacket: (packet: Packet, socket: Socket) => boolean,
): Promise<void> {
  const socket = dial({ host: '127.0.0.1', port, noDelay: true })
  whenDone(async () => void socket.destroy())
  await once(socket, 'connect')
  const packets = parser({ protocolVersion: version })
  const done = new Promise<void>((resolve, reject) => {
    packets.on('packet', (packet) => void (onPacket(packet, socket) && resolve()))
    socket.once('close', () => reject(new Error('the broker closed the connection')))
  })
  socket.on('data', (chunk) => packets.parse(chunk))
  send(socket)
  await done
  socket.destroy()
}

/** Sends bytes in pieces of the given sizes. @returns the identifiers of PUBACK, in order, up to `last` */
async function pubacksFor(
  port: number,
  version: 4 | 5,
  bytes: Buffer,
  { cuts, last }: { cuts: readonly number[]; last: number },
): Promise<number[]> {
  const found: number[] = []
  const send = async (socket: Socket): Promise<void> => {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const cut = cuts[i % cuts.length] as number
      socket.write(bytes.subarray(at, at + cut))
      at += cut
      await nextTurn()
    }
  }
  await exchange(port, version, send, (packet) => {
    if (packet.cmd === 'puback') found.push((packet as IPubackPacket).messageId as number)
    return packet.cmd === 'puback' && packet.messageId === last
  })
  return found
}

/** Sends a packet, and the next one after its answer. @returns the kinds of incoming packets, up to the first PUBLISH */
async function untilPublish(port: number, version: 4 | 5, sent: readonly Buffer[]): Promise<string[]> {
  const found: string[] = []
  const first = (socket: Socket): void => void socket.write(sent[0] as Buffer)
  await exchange(port, version, first, ({ cmd }, socket) => {
    found.push(cmd)
    const next = sent[found.length]
    if (next) socket.write(next)
    return cmd === 'publish'
  })
  return found
}

test.each([4, 5] as const)(
  'fast path, version %i: packets of all kinds in any pieces → queued and acknowledged in order',
  async (version) => {
    const mqtt = await MqttUnderTest.start({ radio: 'DEVISE' })
    let device = 0
    const kinds: Kind[] = ['QoS 1', 'QoS 0', 'QoS 2', 'ping', 'subscribe']
    if (version === 5) kinds.push('with properties')
    const session = fc.record({
      kinds: fc.array(fc.constantFrom(...kinds), { maxLength: 12 }),
      cuts: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(session, async ({ kinds, cuts }) => {
        const name = `lamp-${++device}`
        const all: Kind[] = [...kinds, 'QoS 1']
        const bytes = Buffer.concat([connectPacket(version), ...packetsOf(all, version, name)])
        const found = await pubacksFor(mqtt.port, version, bytes, { cuts, last: all.length })
        const numbers = all.map((kind, i): [Kind, number] => [kind, i + 1])
        const withPuback = numbers.filter(([kind]) => kind === 'QoS 1' || kind === 'with properties')
        expect(found).toEqual(withPuback.map(([, id]) => id))
        const queued = mqtt.store.rows('SELECT command FROM messages WHERE device_id = ? ORDER BY id', name)
        const commands = numbers.filter(([kind]) => kind !== 'ping' && kind !== 'subscribe')
        expect(queued).toEqual(commands.map(([, id]) => ({ command: String(id - 1) })))
      }),
      { numRuns: runs(12) },
    )
  },
)

test('fast path: a burst above the limit of commands under way → all are stored and acknowledged', async () => {
  const mqtt = await MqttUnderTest.start({ radio: 'DEVISE' })
  const peer = await MqttPeer.connect({ port: mqtt.port, username: 'radio', password: PASSWORD })
  const count = 3 * CONNECTION_LIMITS.underWay
  const sent = Array.from({ length: count }, (_, i) =>
    peer.publish(`producer/request/lamp-${i % 100}`, { command: String(i) }),
  )
  await Promise.all(sent)
  const stored = mqtt.store.rows('SELECT command FROM messages ORDER BY id')
  expect(stored).toEqual(sent.map((_, i) => ({ command: String(i) })))
})

test.each([4, 5] as const)(
  'fast path, version %i: a command is pending when the device connects → after CONNACK and SUBACK',
  async (version) => {
    const dataDir = await withClients('radio')
    const env = { COMMON_SEND_MESSAGE_PERIOD: '0' }
    const broker = await BrokerUnderTest.start({ mqtt: true, dataDir, env })
    await broker.send('lamp', { command: 'on' })
    const subscriptions = [{ topic: 'consumer/request/lamp', qos: 1 }]
    const subscribe = { cmd: 'subscribe', messageId: 1, subscriptions } as unknown as Packet
    const session = [
      connectPacket(version, { clientId: 'lamp-1', clean: false }),
      generate(subscribe, { protocolVersion: version }),
    ]
    expect(await untilPublish(broker.mqttPort, version, session)).toEqual(['connack', 'suback', 'publish'])
    // The session is kept: without a SUBSCRIBE it gets the command that it has not acknowledged.
    const again = session.slice(0, 1)
    expect(await untilPublish(broker.mqttPort, version, again)).toEqual(['connack', 'publish'])
  },
)
