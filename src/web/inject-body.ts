/**
 * Reads the body of an injected request: bytes, or parts that are produced while the request runs. Knows no
 * application.
 */
import { BodyStream } from './body-stream.ts'
import { isStream } from './streamed.ts'
import type { Chunk } from './types.ts'

export type InjectedBody = Uint8Array | AsyncIterable<Chunk>

/** Collects a body. Returns null for a body over the limit. */
export async function collectInjectedBody(given: InjectedBody, limit: number): Promise<Uint8Array | null> {
  if (!isStream(given)) return given.length > limit ? null : given
  const parts: Buffer[] = []
  let length = 0
  for await (const part of given) {
    parts.push(Buffer.from(part as string))
    length += parts.at(-1)?.length ?? 0
    if (length > limit) return null
  }
  return Buffer.concat(parts)
}

/** Streams a body at the speed of the handler. An error of the source acts like a client that disconnects. */
export function streamInjectedBody(given: InjectedBody, limit: number): BodyStream {
  let go = (): void => {}
  let paused: Promise<void> | null = null
  const resume = (): void => {
    paused = null
    go()
  }
  const pause = (): void => {
    if (!body.isArriving) resume()
    else
      paused ??= new Promise((resolve) => {
        go = resolve
      })
  }
  const body = new BodyStream(limit, { pause, resume })
  const pump = async (): Promise<void> => {
    for await (const part of isStream(given) ? given : [given]) {
      body.push(Buffer.from(part as string))
      await paused
      if (!body.isArriving) return
    }
    body.end()
  }
  pump().catch(() => body.close())
  return body
}
