/** TCP client for HTTP/1.1 that sends exactly the given bytes and reads one answer after the other. */
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { InjectOptions } from '../../src/web/inject.ts'

export interface Answer {
  readonly status: number
  /** Values by lower-case name; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** False when the connection ended before the announced end of the body. */
  readonly whole: boolean
  text(): string
  json(): unknown
}

/** A connection, closed after the test. */
export class Client {
  readonly #socket: Socket
  readonly #inbox = new Inbox()
  readonly #closed: Promise<void>

  /** @throws {Error} when no server listens */
  static async connect(port: number): Promise<Client> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Client(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#inbox.push(chunk))
    socket.on('end', () => this.#inbox.end())
    // A reset is an end: the next read reports it, and no test distinguishes the two.
    socket.on('error', () => this.#inbox.end())
    this.#closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.#inbox.end()
        resolve()
      }),
    )
    onTestFinished(() => void socket.destroy())
  }

  /** Resolves when the operating system has the bytes, or the connection is gone. */
  async send(data: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => void this.#socket.write(data, () => resolve()))
  }

  /** Sends each part as a separate packet. The server runs on the same event loop and gets a turn after each. */
  async sendParts(parts: Iterable<string | Uint8Array>): Promise<void> {
    for (const part of parts) {
      await this.send(part)
      await nextTurn()
    }
  }

  /**
   * Returns the next answer. An answer with a status below 200 counts too.
   *
   * @param method method of the request, since an answer to HEAD has no body
   * @throws {Error} when the connection ended before its headers
   */
  async answer(method = 'GET'): Promise<Answer> {
    const first = await this.#inbox.line()
    if (first === null) throw new Error('The connection ended without an answer.')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    const headers: Record<string, string> = {}
    for (let line = await this.#inbox.line(); line !== ''; line = await this.#inbox.line()) {
      if (line === null) throw new Error(`The connection ended in the headers, after: ${first}`)
      const [, name, value] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) as unknown as [string, string, string]
      const key = name.toLowerCase()
      headers[key] = key in headers ? `${headers[key]}, ${value}` : value
    }
    const empty = method === 'HEAD' || status < 200 || status === 204 || status === 304
    const { bytes, whole } = empty ? { bytes: Buffer.alloc(0), whole: true } : await this.#body(headers)
    const text = () => bytes.toString('utf8')
    return { status, headers, bytes, whole, text, json: () => JSON.parse(text()) }
  }

  async #body(headers: Answer['headers']): Promise<{ bytes: Buffer; whole: boolean }> {
    const length = headers['content-length']
    if (length !== undefined) return this.#inbox.take(Number(length))
    if (headers['transfer-encoding'] !== 'chunked') {
      return { ...(await this.#inbox.take(Number.POSITIVE_INFINITY)), whole: true }
    }
    const chunks: Buffer[] = []
    for (;;) {
      const size = Number.parseInt((await this.#inbox.line()) ?? '', 16)
      const whole = await this.#inbox.moveTo(chunks, Number.isNaN(size) ? 0 : size)
      let line = whole && !Number.isNaN(size) ? await this.#inbox.line() : null
      // Trailers stand between the last chunk and an empty line.
      while (size === 0 && line) line = await this.#inbox.line()
      if (line !== '' || size === 0) return { bytes: Buffer.concat(chunks), whole: line === '' }
    }
  }

  /** Resolves when `text`, or these bytes, are among the unread bytes. */
  arrived(text: string | Buffer): Promise<void> {
    return this.#inbox.holds(text)
  }

  /** Reads the bytes before `text`, which has arrived. */
  async bytesBefore(text: string): Promise<Buffer> {
    return (await this.#inbox.take(this.#inbox.indexOf(text))).bytes
  }

  /** Calls back whenever bytes arrive, with the number of bytes so far. */
  onBytes(onTotal: (total: number) => void): void {
    this.#socket.on('data', () => onTotal(this.#socket.bytesRead))
  }

  /** Stops reading bytes from the operating system. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Resolves when either side has closed the connection. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** Resolves when the server has closed the connection. */
  ended(): Promise<void> {
    return this.#closed
  }

  /** Closes without waiting for anything. */
  async leave(): Promise<void> {
    this.#socket.destroy()
    await this.#closed
  }
}

/** Unread bytes that have arrived. */
class Inbox {
  readonly #chunks: Buffer[] = []
  #ended = false
  #wake: () => void = () => {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Returns a line without its line break; null if the connection ended before one. */
  async line(): Promise<string | null> {
    for (;;) {
      const at = this.#chunks[0]?.indexOf('\n') ?? -1
      if (at >= 0) return (await this.take(at + 1)).bytes.toString('latin1').trimEnd()
      if (this.#chunks.length > 1) this.#chunks.unshift(Buffer.concat(this.#chunks.splice(0, 2)))
      else if (this.#ended) return null
      else await this.#more()
    }
  }

  async take(count: number): Promise<{ bytes: Buffer; whole: boolean }> {
    const taken: Buffer[] = []
    const whole = await this.moveTo(taken, count)
    const [first] = taken
    const bytes = first !== undefined && taken.length === 1 ? first : Buffer.concat(taken)
    return { bytes, whole }
  }

  /** Returns false if the connection ended before so many bytes. */
  async moveTo(taken: Buffer[], count: number): Promise<boolean> {
    let missing = count
    while (missing > 0) {
      const chunk = this.#chunks.shift()
      if (chunk) {
        taken.push(chunk.subarray(0, missing))
        if (chunk.length > missing) this.#chunks.unshift(chunk.subarray(missing))
        missing -= Math.min(missing, chunk.length)
      } else if (this.#ended) break
      else await this.#more()
    }
    return missing === 0
  }

  indexOf(text: string): number {
    return Buffer.concat(this.#chunks).indexOf(text)
  }

  async holds(text: string | Buffer): Promise<void> {
    const wanted = Buffer.from(text)
    let searched = 0
    // The end of the searched chunks, which may hold the beginning of the text.
    let tail: Buffer = Buffer.alloc(0)
    for (;;) {
      for (const chunk of this.#chunks.slice(searched)) {
        const part = Buffer.concat([tail, chunk])
        if (part.includes(wanted)) return
        tail = part.subarray(Math.max(0, part.length - wanted.length + 1))
        searched++
      }
      if (this.#ended) throw new Error(`The connection ended without "${text}".`)
      await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Returns the bytes of a request with the required headers. An object as body is sent as JSON. */
export function requestOf(
  method: string,
  target: string,
  { headers = {}, body }: InjectOptions = {},
): Buffer {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = raw
    ? Buffer.from(body as string)
    : Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const all: Record<string, string> = { host: 'test', ...headers }
  if (body !== undefined) {
    if (!raw) all['content-type'] ??= 'application/json'
    all['content-length'] ??= String(bytes.length)
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

/** Makes one request on a separate connection. */
export async function request(
  port: number,
  method: string,
  target: string,
  options: InjectOptions = {},
): Promise<Answer> {
  const client = await Client.connect(port)
  await client.send(requestOf(method, target, options))
  const answer = await client.answer(method)
  await client.leave()
  return answer
}
