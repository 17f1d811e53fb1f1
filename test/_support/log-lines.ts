/** Parses the lines of a server's log from its JSON text. */

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

export class LogLines {
  readonly lines: LogLine[] = []
  readonly #watchers = new Set<(line: LogLine) => void>()

  /** Adds one line of text. Ignores text that is no log line. */
  add(text: string): void {
    const line = parse(text)
    if (!line) return
    this.lines.push(line)
    for (const watcher of this.#watchers) watcher(line)
  }

  /** Resolves with the first matching line, written or still to come. */
  next(fits: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise((resolve) => {
      const found = this.lines.find(fits)
      if (found) return resolve(found)
      const watcher = (line: LogLine): void => {
        if (!fits(line)) return
        this.#watchers.delete(watcher)
        resolve(line)
      }
      this.#watchers.add(watcher)
    })
  }
}

function parse(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'msg' in value ? (value as LogLine) : null
  } catch {
    return null
  }
}
