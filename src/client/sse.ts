/** Parses the text of an event stream (WHATWG HTML, section 9.2.6). Makes no requests. */

export interface ServerEvent {
  /** Id of the last event that had an id; empty before. */
  readonly id: string
  /** Name of the event. Default: `message`. */
  readonly event: string
  readonly data: string
}

export interface EventParser {
  /** Adds the next piece of text. Returns the events that are now complete. */
  push(text: string): ServerEvent[]
  /** Last reconnection time from the server, in milliseconds; null without one. */
  readonly retryMs: number | null
}

/** Returns a parser that starts after the event `lastId`. */
export function eventParser(lastId = ''): EventParser {
  let incomplete = ''
  let id = lastId
  let event = ''
  let data: string[] = []
  let retryMs: number | null = null

  function parseLine(line: string): ServerEvent | null {
    if (line === '') {
      const complete = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : null
      event = ''
      data = []
      return complete
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
      // A CR at the end of a piece may be the first half of a CRLF.
      const lines = (incomplete + text).split(/\r\n|\n|\r(?!$)/)
      incomplete = lines.pop() as string
      return lines.map(parseLine).filter((each) => each !== null)
    },
    get retryMs() {
      return retryMs
    },
  }
}
