/** Device that speaks lines of JSON over TCP. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { whenDone } from '../../_support/cleanup.ts'

type Line = Record<string, unknown>

export class LineDevice {
  readonly #socket: Socket
  readonly received: Line[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    createInterface({ input: socket }).on('line', (line) => this.received.push(JSON.parse(line)))
    whenDone(() => socket.destroy())
  }

  /** Connects to a URL, and logs in. */
  static async connect(url: string, id: string, password: string): Promise<LineDevice> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const device = new LineDevice(socket)
    device.send({ id, password })
    return device
  }

  send(line: object): void {
    this.#socket.write(`${JSON.stringify(line)}\n`)
  }

  /** Returns the received line with a number, from 0. Waits for it. */
  async line(number: number): Promise<Line> {
    await expect.poll(() => this.received.length).toBeGreaterThan(number)
    return this.received[number] as Line
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    if (!this.#socket.closed) await once(this.#socket, 'close')
  }
}
