/** Reads an event stream (SSE) of a running server, event by event. */
import { whenDone } from './cleanup.ts'

export interface ServerEvent {
  readonly type: string
  readonly data: unknown
}

export class EventStream {
  readonly response: Response
  /** Id of the last event that was read. */
  lastId = ''
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #stop: AbortController
  #text = ''

  private constructor(response: Response, stop: AbortController) {
    this.response = response
    this.#stop = stop
    const body = response.body as ReadableStream<Uint8Array>
    this.#reader = body
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stop = new AbortController()
    whenDone(() => stop.abort())
    return new EventStream(await fetch(url, { headers, signal: stop.signal }), stop)
  }

  /** Returns the next event; null when the stream has ended. Skips comments. */
  async next(): Promise<ServerEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await this.#reader.read()
        if (done) return null
        this.#text += value
        continue
      }
      const lines = this.#text.slice(0, end).split('\n')
      this.#text = this.#text.slice(end + 2)
      const fields = new Map(
        lines.map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)] as const),
      )
      this.lastId = fields.get('id') ?? this.lastId
      const [type, data] = [fields.get('event'), fields.get('data')]
      if (type !== undefined && data !== undefined) return { type, data: JSON.parse(data) }
    }
  }

  leave(): void {
    this.#stop.abort()
  }
}
