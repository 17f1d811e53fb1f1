/** Calls a node over REST, from a client that gives up when no answer comes. */
import { type Agent, request } from 'node:http'

export interface NodeCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly port: number
  readonly path: string
  readonly body?: object
  readonly token: string
  readonly agent: Agent
  readonly headers?: Readonly<Record<string, string>>
  /** Time after which the client gives up; {@link ANSWER_MS} by default. */
  readonly answerMs?: number
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export const ANSWER_MS = 8_000
/** Statuses that a node may answer under faults: the call had no effect, or may be repeated. */
export const REFUSALS: readonly number[] = [429, 503]

/** @returns null when no whole answer arrived in time */
export function callNode(options: NodeCall): Promise<Answer | null> {
  const { method, port, path, body, token, agent, answerMs: timeout = ANSWER_MS } = options
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...options.headers,
  }
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, method, agent, headers, timeout }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', () => resolve(null))
      response.on('aborted', () => resolve(null))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(null))
    call.end(body && JSON.stringify(body))
  })
}
