/** Splits the bytes of a peer into lines. Knows no protocol. */
import type { Readable } from 'node:stream'

const NEW_LINE = 0x0a

/** Yields the lines without their ends. Ends the iteration at a line longer than the limit. */
export async function* linesOf(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (let end = rest.indexOf(NEW_LINE); end >= 0; end = rest.indexOf(NEW_LINE)) {
      if (end > maxBytes) return
      yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
    if (rest.length > maxBytes) return
  }
}
