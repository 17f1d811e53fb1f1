import type { components } from './types.ts'

type DeliveryStatus = components['schemas']['DeliveryStatus']

/** Members of an error body: problem details (RFC 9457), or the body of an earlier release. */
interface ErrorBody {
  readonly title?: string
  readonly detail?: string
  readonly code?: string
  readonly params?: RequestError['params']
  readonly error?: string
  readonly message?: string
}

/**
 * Reports that the server answered with an error status.
 *
 * @example
 * ```ts
 * await client.send('pump-1', 'start').catch((error) => {
 *   if (!(error instanceof RequestError) || error.code !== 'queue-full') throw error
 * })
 * ```
 */
export class RequestError extends Error {
  /** HTTP status of the answer. */
  readonly status: number
  /** Kind of the error, such as `queue-full`; undefined if the response names none. */
  readonly code: string | undefined
  /** Values in the message, such as an id. */
  readonly params: Readonly<Record<string, string | number | null>>
  /** Body of the answer, parsed if it is JSON. */
  readonly body: unknown

  constructor(status: number, body: unknown) {
    const { title, detail, code, params = {}, error, message } = (body ?? {}) as ErrorBody
    super(detail ?? message ?? title ?? error ?? `The server answered ${status}.`)
    this.name = 'RequestError'
    this.status = status
    this.code = code
    this.params = params
    this.body = body
  }
}

/**
 * Reports that no response arrived: no server listens at the address, or the connection broke.
 *
 * @example
 * ```ts
 * await client.send('pump-1', 'start').catch((error) => {
 *   if (error instanceof ConnectionError) console.error(error.wasReached ? 'The connection broke.' : 'No server answers.')
 * })
 * ```
 */
export class ConnectionError extends Error {
  /**
   * False when no connection was made, so the server did not receive the request. Always true in browsers, which do not
   * report this.
   */
  readonly wasReached: boolean

  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${reason(cause)}. Check the address, and that the server is running.`, {
      cause,
    })
    this.name = 'ConnectionError'
    this.wasReached = !NO_CONNECTION.has(reason(cause))
  }
}

/** Reasons for which Node could not connect. */
const NO_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Reports that a message did not get an expected status in time.
 *
 * @example
 * ```ts
 * await client.waitFor(17, ['COMPLETED'], { timeoutMs: 60_000 }).catch((error) => {
 *   if (error instanceof TimeoutError) console.error(`The message is still ${error.status}.`)
 * })
 * ```
 */
export class TimeoutError extends Error {
  /** Status of the message when the wait ended. */
  readonly status: DeliveryStatus

  constructor(id: number, status: DeliveryStatus, timeoutMs: number) {
    super(`Message ${id} is still ${status} after ${timeoutMs} ms. Wait longer, or check the device.`)
    this.name = 'TimeoutError'
    this.status = status
  }
}

/** Returns the reason of a failed `fetch`. Node puts it into the cause of "fetch failed"; browsers give none. */
function reason(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
