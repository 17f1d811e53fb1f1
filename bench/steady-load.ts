/**
 * Sends requests at a steady rate, whether the server keeps up or not, and prints the p99 of their latency. A latency counts
 * from the time at which the request was due. Its one argument is a job in JSON. A process of its own.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface SteadyJob {
  readonly port: number
  readonly token: string
  readonly do: 'enqueue' | 'poll'
  readonly devices: number
  readonly perSecond: number
  readonly connections: number
  readonly seconds: number
}

/** Time at the start whose requests do not count. */
const WARM_UP_MS = 500

const job = JSON.parse(process.argv[2] as string) as SteadyJob

function request(device: number): string {
  const head = `Host: bench\r\nAuthorization: Bearer ${job.token}\r\n`
  if (job.do === 'poll') return `GET /consumer/getLastMessage/d${device} HTTP/1.1\r\n${head}\r\n`
  const body = `{"command":"set-target-temperature","data":{"speed":12.5,"direction":"clockwise","device":${device}}}`
  return `PUT /producer/request/d${device} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A connection that carries one request at a time. */
class Connection {
  readonly #socket: Socket
  #got = ''
  #dueMs = 0
  readonly #answered: (connection: Connection, dueMs: number) => void

  constructor(answered: (connection: Connection, dueMs: number) => void) {
    this.#answered = answered
    this.#socket = connect({ host: '127.0.0.1', port: job.port, noDelay: true })
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#read(text))
  }

  async opened(): Promise<void> {
    await once(this.#socket, 'connect')
  }

  send(dueMs: number): void {
    this.#dueMs = dueMs
    this.#socket.write(request(Math.floor(Math.random() * job.devices)))
  }

  end(): void {
    this.#socket.destroy()
  }

  #read(text: string): void {
    this.#got += text
    const end = this.#got.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(this.#got)?.[1])
    if (this.#got.length < end + 4 + length) return
    if (!this.#got.startsWith('HTTP/1.1 200')) throw new Error(this.#got)
    this.#got = ''
    this.#answered(this, this.#dueMs)
  }
}

const latencies: number[] = []
const free: Connection[] = []
/** Times at which requests were due for which no connection was free. */
const late: number[] = []
const beganMs = performance.now()
const endMs = beganMs + WARM_UP_MS + job.seconds * 1_000

function answered(connection: Connection, dueMs: number): void {
  if (dueMs >= beganMs + WARM_UP_MS) latencies.push(performance.now() - dueMs)
  const next = late.shift()
  if (next === undefined) free.push(connection)
  else connection.send(next)
}

for (let i = 0; i < job.connections; i++) free.push(new Connection(answered))
const all = [...free]
await Promise.all(all.map((connection) => connection.opened()))

let dueMs = performance.now()
await new Promise<void>((resolve) => {
  const turn = (): void => {
    const nowMs = performance.now()
    for (; dueMs <= nowMs; dueMs += 1_000 / job.perSecond) {
      const connection = free.pop()
      if (connection) connection.send(dueMs)
      else late.push(dueMs)
    }
    if (nowMs < endMs) setImmediate(turn)
    else resolve()
  }
  turn()
})
for (const connection of all) connection.end()
latencies.sort((a, b) => a - b)
console.log(
  JSON.stringify({ requests: latencies.length, p99Ms: latencies[Math.floor(latencies.length * 0.99)] }),
)
