/** A broker from outside, for Node and browsers: the few verbs people want, typed by the API description. Knows no server code but the table of statuses. */
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
  /** `http://HOST:PORT` */
  readonly url: string
  readonly token?: string | undefined
  /** Logs in before the first call, and again when the token has expired. */
  readonly credentials?: { readonly deviceId: string; readonly password: string } | undefined
}

export interface SendOptions {
  /** RECEIPT_CONFIRMATION when it is left out. */
  readonly guarantee?: DeliveryGuarantee
  /** Who wants to be told of status changes over MQTT, and under which id of its own. */
  readonly birth?: { readonly tmpId: number; readonly producerId: string }
}

export interface WaitOptions {
  /** No end when it is left out. */
  readonly timeoutMs?: number
  readonly intervalMs?: number
  readonly signal?: AbortSignal
}

interface Result<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

export class Client {
  /** Every operation of the API description, typed; sends the token. Never throws for an answer. */
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

  get token(): string | undefined {
    return this.#token
  }

  /** Gets a token, which all later calls send. @throws {RequestError} 401, 429 */
  async login(deviseId: string, password: string): Promise<LoginResult> {
    const login = this.api.POST('/auth/login', { body: { deviseId, password } })
    const result = await this.#value(login)
    this.#token = result.accessToken
    return result
  }

  /**
   * Sends a command to a device.
   *
   * @param data an object, or the text of one, which arrives byte for byte (numbers beyond 2^53, `1.0`)
   * @returns once it is on the server's disk
   * @throws {RequestError} 429 when too much waits for the device
   * @throws {SyntaxError} when the text is not JSON
   */
  async send(
    deviceId: string,
    command: string,
    data?: object | string,
    { guarantee, birth }: SendOptions = {},
  ): Promise<ProducerMessageResult> {
    if (typeof data === 'string') JSON.parse(data)
    return this.call((api) =>
      api.PUT('/producer/request/{deviceId}', {
        params: { path: { deviceId } },
        body: {
          command,
          believerGuarantee: guarantee,
          messageBirthCertificate: birth && { tmpId: birth.tmpId, producerDeviseId: birth.producerId },
        },
        bodySerializer: (body) => withData(JSON.stringify(body), data),
      }),
    )
  }

  /** @throws {RequestError} 404 */
  async status(id: number): Promise<DeliveryStatus> {
    const { deliveryStatus } = await this.call((api) =>
      api.GET('/producer/getMessageStatus/{messageId}', { params: { path: { messageId: id } } }),
    )
    return deliveryStatus
  }

  /**
   * Asks until the message has one of these statuses, or a final one, as nothing follows that.
   *
   * @returns the status it has then
   * @throws {TimeoutError}
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

  /** A device's oldest command; null when none waits. */
  async poll(deviceId: string): Promise<ConsumerMessage | null> {
    const messages = await this.call((api) =>
      api.GET('/consumer/getLastMessage/{deviceId}', { params: { path: { deviceId } } }),
    )
    return messages[0] ?? null
  }

  /** @returns the message's status now. @throws {RequestError} 404, 409 when it has another final status */
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
    return (device as Schemas['Device']).settings as DeviceSettings
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
   * All messages that fit, newest first, for role MAN: each page is fetched when the one before it is used up.
   *
   * @param query `limit` is that of a page
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
      yield* page as Message[]
      // RFC 8288.
      const next = /[?&]before=(\d+)[^>]*>; rel="next"/.exec(link ?? '')?.[1]
      before = next === undefined ? undefined : Number(next)
    } while (before !== undefined)
  }

  /** Live changes, for role MAN; goes on after a lost connection. @throws {RequestError} 401, 403 */
  subscribe(options: SubscribeOptions = {}): AsyncGenerator<LiveEvent> {
    return liveEvents(async (headers, signal) => {
      const { response } = await this.#withToken(async () => {
        const all = new Headers({ accept: 'text/event-stream', ...headers })
        if (this.#token !== undefined) all.set('authorization', `Bearer ${this.#token}`)
        const stream = fetch(`${this.#url}/admin/api/events`, { headers: all, ...(signal && { signal }) })
        return { response: await this.#reach(stream) }
      })
      if (response.ok) return response
      throw new RequestError(response.status, await response.json().catch(() => null))
    }, options)
  }

  /** The value of one operation of {@link api}. @throws {RequestError} @throws {ConnectionError} */
  call<T>(operation: (api: Api<paths>) => Promise<Result<T>>): Promise<T> {
    return this.#value(this.#withToken(() => this.#reach(operation(this.api))))
  }

  /** Logs in where it must, and once more where the token has expired. */
  async #withToken<R extends { readonly response: Response }>(attempt: () => Promise<R>): Promise<R> {
    const credentials = this.#credentials
    if (!credentials) return attempt()
    const fresh = this.#token === undefined
    if (fresh) await this.login(credentials.deviceId, credentials.password)
    const result = await attempt()
    if (fresh || result.response.status !== 401) return result
    await this.login(credentials.deviceId, credentials.password)
    return attempt()
  }

  async #value<T>(result: Promise<Result<T>>): Promise<T> {
    const { data, error, response } = await this.#reach(result)
    if (!response.ok) throw new RequestError(response.status, error)
    return data as T
  }

  #reach<T>(attempt: Promise<T>): Promise<T> {
    return attempt.catch((error: unknown) => {
      // What `fetch` throws, in Node as in browsers, when no answer comes.
      throw error instanceof TypeError ? new ConnectionError(this.#url, error) : error
    })
  }
}

/** Text cannot be put into JSON by JSON.stringify. */
function withData(body: string, data: object | string | undefined): string {
  if (data === undefined) return body
  return `${body.slice(0, -1)},"data":${typeof data === 'string' ? data : JSON.stringify(data)}}`
}
