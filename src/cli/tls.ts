/** Applies --cacert and --insecure to HTTPS and MQTT. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { ReadableStream } from 'node:stream/web'
import { EXIT, Exit } from '../process/exit.ts'

/** Certificates that a command trusts, in the form of node:tls and the MQTT client. */
export interface Trust {
  readonly ca?: Buffer
  readonly rejectUnauthorized?: false
}

/** Returns the trust that --cacert and --insecure select. @throws {Exit} when the file holds no certificate */
export function trustOf(flags: { readonly cacert?: string; readonly insecure?: true }): Trust {
  const { cacert, insecure } = flags
  if (insecure) return { rejectUnauthorized: false }
  return cacert === undefined ? {} : { ca: certificatesOf(cacert) }
}

function certificatesOf(path: string): Buffer {
  let pem: Buffer
  try {
    pem = readFileSync(path)
  } catch (error) {
    throw new Exit(EXIT.usage, `--cacert: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw new Exit(EXIT.usage, `--cacert: ${path} has no certificate in PEM format`)
}

/**
 * Returns a `fetch` for HTTPS with custom trust. Node's own `fetch` has no public option for it, and the package undici
 * (1.5 MB) would be a second HTTP client. It follows no redirects, which the API does not have.
 */
export function trustingFetch(trust: Trust): typeof fetch {
  const agent = new Agent({ ...trust, keepAlive: true })
  return async (input, init) => {
    const request = new Request(input, init)
    try {
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
      return responseOf(await send(request, body, agent))
    } catch (error) {
      throw request.signal.aborted ? request.signal.reason : new TypeError('fetch failed', { cause: error })
    }
  }
}

function send(request: Request, body: Buffer | undefined, agent: Agent): Promise<IncomingMessage> {
  const { method, signal, url } = request
  const headers = Object.fromEntries(request.headers)
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(url, { method, headers, signal, agent })
    sent.on('response', resolve).on('error', reject).end(body)
  })
}

const NO_BODY: ReadonlySet<number | undefined> = new Set([204, 205, 304])

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status, rawHeaders } = message
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  const init = { ...(status !== undefined && { status }), headers }
  if (!NO_BODY.has(status)) return new Response(ReadableStream.from(pieces(message)), init)
  message.resume()
  return new Response(null, init)
}

/** Yields the body. As with any `fetch`, a broken connection is a TypeError. */
async function* pieces(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* message
  } catch (error) {
    throw new TypeError('terminated', { cause: error })
  }
}

export const UNTRUSTED_CURE =
  'Its certificate is not trusted: name the certificate of its authority with --cacert FILE.'

/** Returns whether an error of `fetch` or the MQTT client reports an untrusted certificate. */
export function isCertificateError(error: unknown): boolean {
  const { code = '', cause } = error as { code?: string; cause?: unknown }
  return /CERT|^UNABLE_TO_/.test(String(code)) || (cause !== undefined && isCertificateError(cause))
}
