/**
 * Sends a request to an application without a socket, by the same two calls as an adapter. For tests and in-process
 * use.
 */

import { BodyStream } from './body-stream.ts'
import type { Application } from './http.ts'
import { bodyLengthOf, isRouted, NO_BODY, omitBodyForHead, reportSent } from './http.ts'
import { collectInjectedBody, type InjectedBody, streamInjectedBody } from './inject-body.ts'
import { connectInjected, type InjectedSocket, UpgradeRefused } from './inject-socket.ts'
import type { RoutedRequest } from './routed-request.ts'
import { isStream } from './streamed.ts'
import type { Chunk, HttpResponse, Injected, RequestHead } from './types.ts'

/**
 * Headers and body of an injected request.
 *
 * @example
 * ```ts
 * const options: InjectOptions = { headers: { authorization: 'Bearer TOKEN' }, body: { text: 'hello' } }
 * const answer = await inject(app, 'POST', '/notes', options)
 * ```
 */
export interface InjectOptions {
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Text, bytes, a form (`FormData` or `URLSearchParams`), an async iterable of text or bytes, which is sent in chunks, or any
   * other object, which is sent as JSON.
   */
  readonly body?: string | Uint8Array | AsyncIterable<Chunk> | object
  /**
   * Returns whether the client leaves, for a stream that does not end. It is called with the text that has arrived so far,
   * after each part. `inject` then resolves with that text.
   */
  readonly until?: (text: string) => boolean
}

/**
 * Sends one request and returns its whole response.
 *
 * @param target path and query, as in a request line
 *
 * @example
 * ```ts
 * const answer = await inject(app, 'POST', '/notes', { body: { text: 'hello' } })
 * assert.equal(answer.status, 201)
 * ```
 */
export async function inject(
  app: Application,
  method: string,
  target: string,
  options: InjectOptions = {},
): Promise<Injected> {
  const { body, headers } = prepared(options)
  const { head, close, leave } = headOf(method, target, headers)
  const routed = app.route(head)
  close()
  const until = options.until && { arrived: options.until, leave }
  const stream = isRouted(routed) && routed.streamsBody ? streamInjectedBody(body, routed.bodyLimit) : null
  try {
    return await injectedOf(app, head, isRouted(routed) ? await run(routed, stream ?? body) : routed, until)
  } finally {
    stream?.close()
  }
}

/**
 * Opens a WebSocket without a connection. Rejects with an {@link UpgradeRefused}, which has the response, if the server
 * refuses.
 *
 * @param target path and query, as in a request line
 */
inject.socket = async (
  app: Application,
  target: string,
  { headers: given = {} }: Pick<InjectOptions, 'headers'> = {},
): Promise<InjectedSocket> => {
  const { headers } = prepared({ headers: { ...UPGRADE_HEADERS, ...given } })
  const { head, close } = headOf('GET', target, headers)
  const upgraded = app.upgrade?.(head)
  close()
  if (!upgraded) throw new UpgradeRefused(await inject(app, 'GET', target, { headers }))
  return connectInjected(await upgraded, (response) => injectedOf(app, head, response))
}

const UPGRADE_HEADERS = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

/** Creates the head of a request, with functions that close its headers as an adapter does, and that abort its signal. */
function headOf(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
): { head: RequestHead; close: () => void; leave: () => void } {
  const client = new AbortController()
  const [path, query = ''] = split(target)
  let isRead = false
  const head: RequestHead = {
    method,
    path,
    query,
    length: bodyLengthOf(headers),
    header(name) {
      if (isRead) throw new Error('A header was read after route.')
      return headers[name]
    },
    remote: () => '127.0.0.1',
    signal: () => client.signal,
  }
  const close = (): void => {
    isRead = true
  }
  return { head, close, leave: () => client.abort() }
}

async function injectedOf(
  app: Application,
  { method, path }: RequestHead,
  response: HttpResponse,
  until?: Until,
): Promise<Injected> {
  let isSent = false
  let bytes: Buffer
  try {
    const { left, collected } = await collect(omitBodyForHead(app, method, path, response).body, until)
    isSent = !left
    bytes = collected
  } finally {
    reportSent(app, response, isSent, `${method} ${path}`)
  }
  return {
    status: response.status,
    headers: joined(response.headers),
    bytes,
    all: (name) => response.headers.flatMap(([each, value]) => (each === name.toLowerCase() ? value : [])),
    text: () => bytes.toString('utf8'),
    json: () => JSON.parse(bytes.toString('utf8')),
  }
}

async function run(routed: RoutedRequest, body: InjectedBody | BodyStream): Promise<HttpResponse> {
  if (routed.bodyLimit === 0) return routed.run(NO_BODY)
  if (body instanceof BodyStream) return routed.run(body)
  const collected = await collectInjectedBody(body, routed.bodyLimit)
  return collected === null ? routed.tooLarge() : routed.run(collected)
}

function prepared({ headers: given = {}, body }: InjectOptions): {
  body: InjectedBody
  headers: Record<string, string>
} {
  const headers: Record<string, string> = { host: 'inject' }
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
  if (body === undefined) return { body: NO_BODY, headers }
  if (isStream<Chunk>(body)) {
    if (headers['content-length'] === undefined) headers['transfer-encoding'] ??= 'chunked'
    return { body, headers }
  }
  if (body instanceof FormData || body instanceof URLSearchParams) {
    const encoded = new Response(body)
    headers['content-type'] ??= encoded.headers.get('content-type') as string
    headers['transfer-encoding'] ??= 'chunked'
    return { body: encoded.body as ReadableStream<Uint8Array>, headers }
  }
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = raw ? Buffer.from(body as string) : Buffer.from(JSON.stringify(body))
  if (!raw) headers['content-type'] ??= 'application/json'
  headers['content-length'] ??= String(bytes.length)
  return { body: bytes, headers }
}

function joined(headers: HttpResponse['headers']): Record<string, string> {
  const byName: Record<string, string> = {}
  for (const [name, value] of headers)
    byName[name] = byName[name] === undefined ? value : `${byName[name]}, ${value}`
  return byName
}

function split(target: string): [path: string, query?: string] {
  const at = target.indexOf('?')
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)]
}

/** Says when the client of a stream leaves, and aborts the signal of its request. */
interface Until {
  readonly arrived: (text: string) => boolean
  readonly leave: () => void
}

async function collect(
  body: HttpResponse['body'],
  until?: Until,
): Promise<{ collected: Buffer; left: boolean }> {
  if (body === null) return { collected: Buffer.alloc(0), left: false }
  if (typeof body === 'string' || body instanceof Uint8Array)
    return { collected: Buffer.from(body as string), left: false }
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Chunk>) {
    chunks.push(Buffer.from(chunk as string))
    if (!until?.arrived(Buffer.concat(chunks).toString('utf8'))) continue
    until.leave()
    return { collected: Buffer.concat(chunks), left: true }
  }
  return { collected: Buffer.concat(chunks), left: false }
}
