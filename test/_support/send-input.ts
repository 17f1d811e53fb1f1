/** Sends requests with inputs generated from an API description. */
import { request } from 'node:http'
import { type Described, type Input, takesFiles, targetOf } from './described.ts'

export interface SentAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly headers: readonly string[]
}

/**
 * Sends a request with its path unchanged, where `fetch` would resolve dots. Does not wait for the text of a stream.
 */
export async function send(url: string, of: Described, input: Input, token?: string): Promise<SentAnswer> {
  const { hostname, port } = new URL(url)
  const { type, bytes } = await encoded(of, input.body)
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(type !== null && { 'content-type': type, 'content-length': bytes.length }),
  }
  const { method } = of
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: targetOf(of, input), headers }, async (answer) => {
      const type = answer.headers['content-type']?.split(';')[0] ?? ''
      const chunks: Buffer[] = []
      if (type === 'text/event-stream') answer.destroy()
      else for await (const chunk of answer) chunks.push(chunk as Buffer)
      const headers = Object.keys(answer.headers)
      resolve({ status: answer.statusCode ?? 0, type, text: Buffer.concat(chunks).toString(), headers })
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}

/** Encodes a body as JSON, or as a form if the operation accepts files. */
async function encoded(
  { operation }: Described,
  body: unknown,
): Promise<{ type: string | null; bytes: Uint8Array }> {
  if (body === undefined) return { type: null, bytes: new Uint8Array() }
  if (!takesFiles(operation)) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) }
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object)) {
    if (value instanceof Blob) form.append(name, value, 'file')
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const made = new Response(form)
  return { type: made.headers.get('content-type'), bytes: new Uint8Array(await made.arrayBuffer()) }
}
