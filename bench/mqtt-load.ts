/** Makes load over MQTT in a process of its own: devices and a producer on plain sockets. Its one argument is a job in JSON. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { generate, type IPublishPacket, type Packet, parser } from 'mqtt-packet'

export interface Login {
  readonly username: string
  readonly password: string
}

/** Commands to devices that acknowledge them. Prints `perSecond`, and with the warm-up how many were `done`. */
export interface CommandsJob {
  readonly do: 'commands'
  readonly port: number
  readonly login: Login | null
  readonly devices: number
  /** False: the broker has no queue, the producer publishes to the devices' own topics. */
  readonly queue: boolean
  /** Maximum unacknowledged commands in all; null: one for each device. */
  readonly window: number | null
  readonly seconds: number
}

/** Connections that do nothing until standard input ends. Prints `{}` when all are there. */
export interface IdleJob {
  readonly do: 'idle'
  readonly port: number
  readonly login: Login | null
  readonly devices: number
}

/**
 * Everyone connects with a name of its own (`d0`, `d1` …): some of them, then the others, then all again. Prints `ms`,
 * what each of the three times took.
 */
export interface ConnectJob {
  readonly do: 'connect'
  readonly port: number
  readonly password: string
  readonly devices: number
  /** Number of devices that connect first. */
  readonly first: number
}

export type Job = CommandsJob | IdleJob | ConnectJob

const WARM_UP_MS = 1_500
/** Each load has devices of its own: what an earlier one left in their queues is none of its business. */
const nameOf = (device: number): string => `d${process.pid}-${device}`
const ORDER = '"command":"set-target-temperature","data":{"speed":12.5,"direction":"clockwise"}'

class Peer {
  readonly #socket: Socket
  readonly #parser = parser()
  #lastId = 0
  onPublish: (packet: IPublishPacket) => void = () => {}
  onPuback: () => void = () => {}

  private constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.on('data', (chunk) => {
      // One write for all that these bytes give rise to.
      this.#socket.cork()
      this.#parser.parse(chunk)
      this.#socket.uncork()
    })
    this.#parser.on('packet', (packet) => {
      if (packet.cmd === 'publish') this.onPublish(packet)
      else if (packet.cmd === 'puback') this.onPuback()
    })
  }

  /** @returns when CONNACK lets it in */
  static async connect(port: number, clientId: string, login: Login | null): Promise<Peer> {
    const peer = new Peer(port)
    const answered = peer.#next('connack')
    await once(peer.#socket, 'connect')
    peer.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      keepalive: 0,
      clientId,
      ...(login && { username: login.username, password: Buffer.from(login.password) }),
    })
    const connack = await answered
    if (connack.cmd !== 'connack' || connack.returnCode !== 0) throw new Error(`${clientId} was refused`)
    return peer
  }

  async subscribe(topic: string): Promise<void> {
    const answered = this.#next('suback')
    this.send({ cmd: 'subscribe', messageId: this.#id(), subscriptions: [{ topic, qos: 1 }] })
    await answered
  }

  publish(topic: string, payload: string): void {
    this.send({
      cmd: 'publish',
      topic,
      payload,
      qos: 1,
      messageId: this.#id(),
      dup: false,
      retain: false,
    })
  }

  send(packet: Packet): void {
    this.#socket.write(generate(packet))
  }

  end(): void {
    this.#socket.destroy()
  }

  #next(cmd: Packet['cmd']): Promise<Packet> {
    return new Promise((resolve, reject) => {
      const look = (packet: Packet): void => {
        if (packet.cmd !== cmd) return
        this.#parser.off('packet', look)
        resolve(packet)
      }
      this.#parser.on('packet', look)
      this.#socket.once('error', reject)
      this.#socket.once('close', () => reject(new Error('the broker closed a connection')))
    })
  }

  #id(): number {
    this.#lastId = (this.#lastId % 65_535) + 1
    return this.#lastId
  }
}

async function devicesOf({ port, login, devices }: CommandsJob | IdleJob): Promise<Peer[]> {
  const peers: Peer[] = []
  for (let i = 0; i < devices; i++) {
    const peer = await Peer.connect(port, nameOf(i), login)
    await peer.subscribe(`consumer/request/${nameOf(i)}`)
    peers.push(peer)
  }
  return peers
}

async function commands(job: CommandsJob): Promise<object> {
  const { port, login, queue, window, seconds } = job
  const producer = await Peer.connect(port, 'producer', login)
  const devices = await devicesOf(job)
  let done = 0
  let sent = 0
  const order = (device: number): void => {
    sent++
    if (queue) producer.publish(`producer/request/${nameOf(device)}`, `{${ORDER}}`)
    else producer.publish(`consumer/request/${nameOf(device)}`, `{"id":${sent},${ORDER}}`)
  }
  for (const [i, device] of devices.entries()) {
    device.onPublish = ({ messageId, payload }) => {
      const { id } = JSON.parse(payload.toString()) as { id: number }
      device.send({ cmd: 'puback', messageId: messageId as number })
      device.publish(`consumer/response/${nameOf(i)}`, `{"id":${id},"deliveryStatus":"DELIVERED"}`)
    }
    device.onPuback = () => {
      done++
      order(window === null ? i : sent % devices.length)
    }
  }
  for (let i = 0; i < (window ?? devices.length); i++) order(i % devices.length)
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  await pause(WARM_UP_MS)
  const [before, begun] = [done, performance.now()]
  await pause(seconds * 1_000)
  return { perSecond: ((done - before) * 1_000) / (performance.now() - begun), done }
}

async function idle(job: IdleJob): Promise<object> {
  await devicesOf(job)
  return {}
}

async function connectAll({ port, password, devices, first }: ConnectJob): Promise<object> {
  const names = Array.from({ length: devices }, (_, i) => `d${i}`)
  const ms: number[] = []
  for (const each of [names.slice(0, first), names.slice(first), names]) {
    const begun = performance.now()
    const peers = await Promise.all(
      each.map((username) => Peer.connect(port, username, { username, password })),
    )
    ms.push(performance.now() - begun)
    for (const peer of peers) peer.end()
  }
  return { ms }
}

const job = JSON.parse(process.argv[2] as string) as Job
const result = await (job.do === 'commands' ? commands(job) : job.do === 'idle' ? idle(job) : connectAll(job))
console.log(JSON.stringify(result))
if (job.do === 'idle') await once(process.stdin.resume(), 'end')
process.exit()
