/** The text of an event stream → its events (WHATWG HTML section 9.2.6). Knows no connection. */

export interface ServerEvent {
  /** What to resume behind; empty while the server gave none. */
  readonly id: string
  /** `message` where the server names none. */
  readonly event: string
  readonly data: string
}

export interface EventParser {
  /** The events that end in this piece of text. */
  push(text: string): ServerEvent[]
  /** Milliseconds to wait before connecting again, as the server last said. */
  readonly retryMs: number | null
}

export function eventParser(lastId = ''): EventParser {
  let rest = ''
  let id = lastId
  let event = ''
  let data: string[] = []
  let retryMs: number | null = null

  function take(line: string): ServerEvent | null {
    if (line === '') {
      const whole = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : null
      event = ''
      data = []
      return whole
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as unknown as [string, string, string?]
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
    return null
  }

  return {
    push(text) {
      // A CR at the very end may be half of a CRLF.
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() as string
      return lines.map(take).filter((each) => each !== null)
    },
    get retryMs() {
      return retryMs
    },
  }
}
