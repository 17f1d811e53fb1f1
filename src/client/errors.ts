/** What a call of the client ends with when it does not end well. */
import type { components } from './types.ts'

type DeliveryStatus = components['schemas']['DeliveryStatus']

/** The server answered with an error. */
export class RequestError extends Error {
  readonly status: number
  /** The answer's JSON body. */
  readonly body: unknown

  constructor(status: number, body: unknown) {
    const { error, message } = (body ?? {}) as { error?: string; message?: string }
    super(message ?? error ?? `The server answered ${status}.`)
    this.name = 'RequestError'
    this.status = status
    this.body = body
  }
}

/** No answer came: nobody listens there, or the connection broke. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${reason(cause)}`, { cause })
    this.name = 'ConnectionError'
  }
}

/** What was waited for did not happen in time. */
export class TimeoutError extends Error {
  /** The message's status when the wait ended. */
  readonly status: DeliveryStatus

  constructor(id: number, status: DeliveryStatus, timeoutMs: number) {
    super(`Message ${id} is still ${status} after ${timeoutMs} ms.`)
    this.name = 'TimeoutError'
    this.status = status
  }
}

/** Node tells the reason as the cause of "fetch failed", browsers tell none. */
function reason(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
