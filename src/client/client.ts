/**
 * Implements the client of a broker, for Node and browsers. The API description types each call.
 * The table of statuses is the only server code that the client imports.
 */
import createFetch, { type Client as Api } from 'openapi-fetch'
import { FINAL_STATUSES } from '../broker/status.ts'
import { ConnectionError, RequestError, TimeoutError } from './errors.ts'
import { type LiveEvent, liveEvents, pause, type SubscribeOptions } from './events.ts'
import type { components, paths } from './types.ts'

type Schemas = components['schemas']
export type DeliveryStatus = Schemas['DeliveryStatus']
export type DeliveryGuarantee = Schemas['DeliveryGuarantee']
export type AckStatus = NonNullable<Schemas['Acknowledgement']['deliveryStatus']>
export type ConsumerMessage = Schemas['ConsumerMessage']
export type ProducerMessageResult = Schemas['ProducerMessageResult']
export type LoginResult = Schemas['LoginResult']
export type Message = Schemas['Message']
export type DeviceSettings = Schemas['DeviceSettings']
export type NewDeviceSettings = Schemas['NewDeviceSettings']
export type MessageQuery = NonNullable<paths['/admin/api/messages']['get']['parameters']['query']>

export interface ClientOptions {
  /** Base URL of the server, such as `http://HOST:PORT`. Slashes at its end are ignored. */
  readonly url: string
  /** Access token for all calls until the next login. */
  readonly token?: string | undefined
  /** Id and password of a client. With them, the client logs in before its first call, and again when the token has expired. */
  readonly credentials?: { readonly deviceId: string; readonly password: string } | undefined
}

export interface SendOptions {
  /** Delivery guarantee of the message. The server's default is `RECEIPT_CONFIRMATION`. */
  readonly guarantee?: DeliveryGuarantee
  /**
   * Producer that the server notifies over MQTT of each status change, and the producer's own id of the message.
   * On the wire this is `messageBirthCertificate`.
   */
  readonly replyTo?: { readonly producerId: string; readonly correlationId: number }
}

export interface WaitOptions {
  /** Longest wait in milliseconds. Without it the wait has no limit. */
  readonly timeoutMs?: number
  /** Milliseconds between two requests for the status. Default: 200. */
  readonly intervalMs?: number
  /** Aborting it rejects the wait with the reason of the signal. */
  readonly signal?: AbortSignal
}

interface Result<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/**
 * Calls a broker over REST.
 *
 * Each method rejects with a `RequestError` when the server answers with an error status,
 * and with a `ConnectionError` when no answer arrives.
 */
export class Client {
  /**
   * Typed access to every operation of the API description. It sends the token but does not log in.
   * An error status does not throw: it resolves with `error`. {@link call} adds the login and throws.
   */
  readonly api: Api<paths>
  readonly #url: string
  readonly #credentials: ClientOptions['credentials']
  #token: string | undefined

  constructor({ url, token, credentials }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
    this.#credentials = credentials
    this.api = createFetch<paths>({ baseUrl: this.#url })
    this.api.use({
      onRequest: ({ request }) => {
        if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`)
      },
    })
  }

  /** Access token that calls send now; undefined before the first login. */
  get token(): string | undefined {
    return this.#token
  }

  /**
   * Logs in. All later calls send the new token.
   *
   * @returns the token, and the id and role of the client
   * @throws {RequestError} 401: wrong id or password; 429: too many failed logins
   */
  async login(deviseId: string, password: string): Promise<LoginResult> {
    const login = this.api.POST('/auth/login', { body: { deviseId, password } })
    const result = await this.#value(login)
    this.#token = result.accessToken
    return result
  }

  /**
   * Sends a command to a device.
   *
   * @param data parameters of the command: an object, or the JSON text of an object. The text arrives byte for byte,
   *   so that numbers beyond 2^53 and `1.0` keep their digits.
   * @returns the id and the status of the message, once the message is durable on the server
   * @throws {RequestError} 400, 401, 403; 429: the queue of the device is full
   * @throws {SyntaxError} `data` is text that is not JSON
   */
  async send(
    deviceId: string,
    command: string,
    data?: object | string,
    { guarantee, replyTo }: SendOptions = {},
  ): Promise<ProducerMessageResult> {
    if (typeof data === 'string') JSON.parse(data)
    return this.call((api) =>
      api.PUT('/producer/request/{deviceId}', {
        params: { path: { deviceId } },
        body: {
          command,
          believerGuarantee: guarantee,
          messageBirthCertificate: replyTo && {
            tmpId: replyTo.correlationId,
            producerDeviseId: replyTo.producerId,
          },
        },
        bodySerializer: (body) => withData(JSON.stringify(body), data),
      }),
    )
  }

  /** Returns the status of a message. @throws {RequestError} 401, 403; 404: no message has this id */
  async status(id: number): Promise<DeliveryStatus> {
    const { deliveryStatus } = await this.call((api) =>
      api.GET('/producer/getMessageStatus/{messageId}', { params: { path: { messageId: id } } }),
    )
    return deliveryStatus
  }

  /**
   * Polls the status of a message until it is one of `statuses` or final. A final status ends the wait in any case,
   * since no other status follows.
   *
   * @returns the status that ended the wait
   * @throws {TimeoutError} `timeoutMs` has passed
   * @throws {RequestError} 401, 403; 404: no message has this id
   */
  async waitFor(
    id: number,
    statuses: readonly DeliveryStatus[] = FINAL_STATUSES,
    { timeoutMs = Number.POSITIVE_INFINITY, intervalMs = 200, signal }: WaitOptions = {},
  ): Promise<DeliveryStatus> {
    const endMs = performance.now() + timeoutMs
    for (;;) {
      signal?.throwIfAborted()
      const status = await this.status(id)
      if (statuses.includes(status) || FINAL_STATUSES.includes(status)) return status
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) throw new TimeoutError(id, status, timeoutMs)
      await pause(Math.min(intervalMs, leftMs), signal)
    }
  }

  /**
   * Returns the oldest pending message of a device, or null when its queue is empty. The server dispatches the message
   * by this call.
   *
   * @throws {RequestError} 401, 403
   */
  async poll(deviceId: string): Promise<ConsumerMessage | null> {
    const messages = await this.call((api) =>
      api.GET('/consumer/getLastMessage/{deviceId}', { params: { path: { deviceId } } }),
    )
    return messages[0] ?? null
  }

  /**
   * Acknowledges a message for a device.
   *
   * @returns the status of the message after the acknowledgement
   * @throws {RequestError} 401, 403; 404: the device has no such message; 409: the message has another final status
   */
  async acknowledge(deviceId: string, id: number, status: AckStatus = 'DELIVERED'): Promise<DeliveryStatus> {
    const { deliveryStatus } = await this.call((api) =>
      api.POST('/consumer/request/{deviceId}', {
        params: { path: { deviceId } },
        body: { id, deliveryStatus: status },
      }),
    )
    return deliveryStatus
  }

  /** Returns the settings of a device, for role MAN. Null: the general value applies. @throws {RequestError} 401, 403 */
  async deviceSettings(deviceId: string): Promise<DeviceSettings> {
    const params = { path: { deviceId }, query: { details: true } }
    const device = await this.call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))
    return device.settings as DeviceSettings
  }

  /**
   * Replaces all settings of a device, for role MAN. What is left out or null has the general value.
   *
   * @returns the settings, once they are on the server's disk
   * @throws {RequestError} 400, 401, 403
   */
  async setDeviceSettings(deviceId: string, settings: NewDeviceSettings): Promise<DeviceSettings> {
    const params = { path: { deviceId } }
    return this.call((api) => api.PUT('/admin/api/devices/{deviceId}', { params, body: settings }))
  }

  /**
   * Iterates over the messages that match a query, newest first. The client needs role MAN. The next page is fetched
   * when the iteration reaches its first message.
   *
   * @param query filters of the API; `limit` is the size of a page, not of the result
   * @throws {RequestError} 400, 401, 403
   */
  async *messages(query: MessageQuery = {}): AsyncGenerator<Message> {
    let before = query.before
    do {
      let link: string | null = null
      const page = await this.call(async (api) => {
        const result = await api.GET('/admin/api/messages', { params: { query: { ...query, before } } })
        link = result.response.headers.get('link')
        return result
      })
      yield* page
      // RFC 8288, web linking.
      const next = /[?&]before=(\d+)[^>]*>; rel="next"/.exec(link ?? '')?.[1]
      before = next === undefined ? undefined : Number(next)
    } while (before !== undefined)
  }

  /**
   * Iterates over live changes of messages and connections. The client needs role MAN. After a lost connection the
   * iteration connects again and resumes after the last event.
   *
   * @throws {RequestError} 401, 403
   * @throws {ConnectionError} the first connection fails
   */
  subscribe(options: SubscribeOptions = {}): AsyncGenerator<LiveEvent> {
    return liveEvents(async (headers, signal) => {
      const { response } = await this.#withToken(async () => {
        const all = new Headers({ accept: 'text/event-stream', ...headers })
        if (this.#token !== undefined) all.set('authorization', `Bearer ${this.#token}`)
        const stream = fetch(`${this.#url}/admin/api/events`, { headers: all, ...(signal && { signal }) })
        return { response: await this.#withConnectionError(stream) }
      })
      if (response.ok) return response
      throw new RequestError(response.status, await response.json().catch(() => null))
    }, options)
  }

  /**
   * Runs one operation of {@link api}. Logs in first, if the client has credentials and no token, and runs the operation
   * once more if the token has expired.
   *
   * @returns the body of the answer
   * @throws {RequestError} the server answered with an error status
   * @throws {ConnectionError} no answer arrived
   */
  call<T>(operation: (api: Api<paths>) => Promise<Result<T>>): Promise<T> {
    return this.#value(this.#withToken(() => this.#withConnectionError(operation(this.api))))
  }

  /** Logs in before an attempt if there is no token. A 401 leads to another login and a second attempt. */
  async #withToken<R extends { readonly response: Response }>(attempt: () => Promise<R>): Promise<R> {
    const credentials = this.#credentials
    if (!credentials) return attempt()
    const isNewToken = this.#token === undefined
    if (isNewToken) await this.login(credentials.deviceId, credentials.password)
    const result = await attempt()
    if (isNewToken || result.response.status !== 401) return result
    await this.login(credentials.deviceId, credentials.password)
    return attempt()
  }

  async #value<T>(result: Promise<Result<T>>): Promise<T> {
    const { data, error, response } = await this.#withConnectionError(result)
    if (!response.ok) throw new RequestError(response.status, error)
    return data as T
  }

  #withConnectionError<T>(attempt: Promise<T>): Promise<T> {
    return attempt.catch((error: unknown) => {
      // `fetch` throws a TypeError when no answer arrives, in Node and in browsers.
      throw error instanceof TypeError ? new ConnectionError(this.#url, error) : error
    })
  }
}

/** Appends `data` to the text of an object. `JSON.stringify` would change the digits of data that is given as text. */
function withData(body: string, data: object | string | undefined): string {
  if (data === undefined) return body
  return `${body.slice(0, -1)},"data":${typeof data === 'string' ? data : JSON.stringify(data)}}`
}
