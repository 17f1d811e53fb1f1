/**
 * Implements the client of a broker, for Node and browsers. The API description types each call. The client imports no
 * server code except the table of statuses.
 */
import { REPORT_TEXT_NAMES } from '../broker/vocabulary/report-table.ts'
import { DeviceCalls } from './devices.ts'
import { type LiveEvent, liveEvents, type SubscribeOptions } from './events.ts'
import type {
  AcknowledgeOptions,
  AckStatus,
  CancelAllOptions,
  CancelAllResult,
  CancelOptions,
  CancelResult,
  ConsumerMessage,
  DeliveryStatus,
  DeviceSettings,
  Handover,
  HandoverQuery,
  HandoverTextQuery,
  Message,
  MessageDetail,
  MessageQuery,
  MessageReport,
  NewDeviceSettings,
  PollOptions,
  ProducerMessageResult,
  SendOptions,
  WaitOptions,
} from './options.ts'
import { PROBLEM_TYPE, Session } from './session.ts'
import { newKey, repeated, submitBody } from './submit.ts'
import { ENDED_STATUSES, type StatusAnswer, type StatusQuery, waitForStatus } from './wait.ts'

/** Maximum ids per request for messages. */
const IDS_PER_REQUEST = 500

/**
 * Calls a broker over REST.
 *
 * Each method rejects with a `RequestError` when the server answers with an error status,
 * and with a `ConnectionError` when no answer arrives.
 *
 * @example
 * ```ts
 * const client = new Client({ url: 'http://127.0.0.1:8080', credentials: { deviceId: 'shop', password: 'PASSWORD' } })
 * const { id } = await client.send('pump-1', 'start', { speed: 3 })
 * const status = await client.waitFor(id, ['COMPLETED'], { timeoutMs: 60_000 })
 * ```
 */
export class Client extends Session {
  /** Calls about devices: out of service, and notes. */
  readonly devices = new DeviceCalls(this)

  /**
   * Sends a command to a device. After a lost connection the client repeats the submit up to three times. All attempts
   * have the same idempotency key, so the server stores one message.
   *
   * @param data parameters of the command: an object, or the JSON text of an object. The text is sent byte for byte, so that numbers beyond 2^53 and `1.0` keep their digits.
   * @returns the id and the status of the message, once the message is durable on the server
   * @throws {RequestError} 400, 401, 403; 404 and 409: `replaces` names no message, or one that was dispatched; 422: another submit has the idempotency key; 429: the queue of the device is full
   * @throws {SyntaxError} `data` is text that is not JSON
   */
  async send(
    deviceId: string,
    command: string,
    data?: object | string,
    { idempotencyKey = newKey(), ...options }: SendOptions = {},
  ): Promise<ProducerMessageResult> {
    const text = submitBody(command, data, { ...options, idempotencyKey })
    const submit = (): Promise<ProducerMessageResult> =>
      this.call((api) =>
        api.PUT('/producer/request/{deviceId}', {
          params: { path: { deviceId } },
          body: { command },
          bodySerializer: () => text,
        }),
      )
    return idempotencyKey === null ? submit() : repeated(submit)
  }

  /** Returns the status of a message. @throws {RequestError} 401, 403; 404: no message has this id */
  async status(id: number): Promise<DeliveryStatus> {
    const { status } = await this.#statusBy(id, {})
    return status
  }

  async #statusBy(id: number, query: StatusQuery, signal?: AbortSignal): Promise<StatusAnswer> {
    const params = { path: { messageId: id }, query }
    let retryAfterMs = 0
    const { deliveryStatus } = await this.call(async (api) => {
      const result = await api.GET('/producer/getMessageStatus/{messageId}', {
        params,
        signal: signal ?? null,
      })
      retryAfterMs = 1000 * (Number(result.response.headers.get('retry-after')) || 0)
      return result
    })
    return { status: deliveryStatus, retryAfterMs }
  }

  /**
   * Waits until the status of a message is one of `statuses`, or ended. An ended status (final or UNKNOWN) always ends
   * the wait, because the broker no longer changes it by itself.
   *
   * @returns the status that ended the wait
   * @throws {TimeoutError} `timeoutMs` has passed
   * @throws {RequestError} 401, 403; 404: no message has this id
   */
  waitFor(
    id: number,
    statuses: readonly DeliveryStatus[] = ENDED_STATUSES,
    options: WaitOptions = {},
  ): Promise<DeliveryStatus> {
    return waitForStatus(id, statuses, options, (query, signal) => this.#statusBy(id, query, signal))
  }

  /**
   * Returns a message with its terms, history and attempts. @throws {RequestError} 401, 403; 404: unknown, or of
   * another client
   */
  message(id: number): Promise<MessageDetail> {
    return this.call((api) => api.GET('/producer/messages/{id}', { params: { path: { id } } }))
  }

  /**
   * Iterates over the messages that match a query, newest first. The client needs role MAN or READER. Each page is
   * fetched when the iteration reaches its first message.
   *
   * @param query filters of the API; `limit` is the size of a page, not of the result
   * @throws {RequestError} 400, 401, 403
   */
  messages(query?: MessageQuery): AsyncGenerator<Message>
  /**
   * Returns status, cause, reason and result of messages, in the order of the ids. Omits unknown messages and messages
   * of other clients.
   *
   * @throws {RequestError} 400, 401
   */
  messages(ids: readonly number[]): Promise<MessageReport[]>
  messages(which: MessageQuery | readonly number[] = {}): AsyncGenerator<Message> | Promise<MessageReport[]> {
    return isIds(which) ? this.#reports(which) : this.#pages(which)
  }

  async #reports(ids: readonly number[]): Promise<MessageReport[]> {
    const reports: MessageReport[] = []
    for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
      const query = { id: ids.slice(from, from + IDS_PER_REQUEST) }
      reports.push(...(await this.call((api) => api.GET('/producer/messages', { params: { query } }))))
    }
    return reports
  }

  async *#pages(query: MessageQuery): AsyncGenerator<Message> {
    let before = query.before
    do {
      let link: string | null = null
      const page = await this.call(async (api) => {
        const result = await api.GET('/admin/api/messages', { params: { query: { ...query, before } } })
        link = result.response.headers.get('link')
        return result
      })
      yield* page
      // RFC 8288 (web linking).
      const next = /[?&]before=(\d+)[^>]*>; rel="next"/.exec(link ?? '')?.[1]
      before = next === undefined ? undefined : Number(next)
    } while (before !== undefined)
  }

  /**
   * Cancels a pending message that was never dispatched, or with `force` any pending message.
   *
   * @returns the status, and whether the message was dispatched before, so that its device may have it
   * @throws {RequestError} 401, 403; 404: unknown, or of another client; 409: the message was dispatched, or has ended
   */
  cancel(id: number, { force }: CancelOptions = {}): Promise<CancelResult> {
    const params = { path: { messageId: id } }
    return this.call((api) => api.POST('/producer/cancelMessage/{messageId}', { params, body: { force } }))
  }

  /**
   * Cancels the client's own pending messages of a device, or with role MAN those of all senders: at most 10,000,
   * oldest first.
   *
   * @returns ids of the cancelled messages and of the dispatched messages, which stay pending without `force`
   * @throws {RequestError} 401, 403
   */
  cancelAll(deviceId: string, { command, force }: CancelAllOptions = {}): Promise<CancelAllResult> {
    const params = { path: { deviceId } }
    const body = { command, force }
    return this.call((api) => api.POST('/producer/cancelMessages/{deviceId}', { params, body }))
  }

  /**
   * Returns an UNKNOWN message to its place in the queue. Its attempts count from 1 again.
   *
   * @returns the status of the message
   * @throws {RequestError} 401, 403; 404: unknown, or of another client; 409: the message is not UNKNOWN, or its validity is over; 429: the queue of the device is full
   */
  async replay(id: number): Promise<DeliveryStatus> {
    const params = { path: { messageId: id } }
    const { deliveryStatus } = await this.call((api) =>
      api.POST('/producer/replayMessage/{messageId}', { params }),
    )
    return deliveryStatus
  }

  /**
   * Dispatches and returns the oldest pending message of a device, or null if its queue is empty. With `waitSeconds`
   * the server holds the request until it may dispatch a message. A server that holds too many requests answers null at
   * once, so a loop needs a pause.
   *
   * @throws {RequestError} 400, 401, 403
   */
  async poll(deviceId: string, options: PollOptions = {}): Promise<ConsumerMessage | null> {
    const { waitSeconds, details, signal } = options
    const params = { path: { deviceId }, query: { wait: waitSeconds, details } }
    const messages = await this.call((api) =>
      api.GET('/consumer/getLastMessage/{deviceId}', { params, signal: signal ?? null }),
    )
    return messages[0] ?? null
  }

  /**
   * Acknowledges a message for a device.
   *
   * @returns the status of the message after the acknowledgement
   * @throws {RequestError} 401, 403; 404: the device has no such message; 409: the message has another final status
   */
  async acknowledge(
    deviceId: string,
    id: number,
    status: AckStatus = 'DELIVERED',
    options: AcknowledgeOptions = {},
  ): Promise<DeliveryStatus> {
    const texts = Object.fromEntries(REPORT_TEXT_NAMES.map((name) => [name, options[name]]))
    const text = JSON.stringify({ id, deliveryStatus: status, result: options.result, ...texts })
    const { deliveryStatus } = await this.call((api) =>
      api.POST('/consumer/request/{deviceId}', {
        params: { path: { deviceId } },
        body: { id },
        bodySerializer: () => text,
      }),
    )
    return deliveryStatus as DeliveryStatus
  }

  /**
   * Pauses all dispatches to a device. A running attempt ends, and its message comes first afterwards.
   *
   * @param seconds 0 to 86,400; 0 ends an earlier pause
   * @returns the end of the pause in milliseconds since 1970; null when there is none
   * @throws {RequestError} 400, 401, 403
   */
  async busy(deviceId: string, seconds: number): Promise<number | null> {
    const params = { path: { deviceId } }
    const { busyUntilDate } = await this.call((api) =>
      api.POST('/consumer/request/{deviceId}', { params, body: { busySeconds: seconds } }),
    )
    return busyUntilDate ?? null
  }

  /**
   * Returns the settings of a device, for role MAN or READER. Null means that the general value applies. @throws
   * {RequestError} 401, 403
   */
  async deviceSettings(deviceId: string): Promise<DeviceSettings> {
    const params = { path: { deviceId }, query: { details: true } }
    const device = await this.call((api) => api.GET('/admin/api/devices/{deviceId}', { params }))
    return device.settings as DeviceSettings
  }

  /**
   * Replaces all settings of a device, for role MAN. An omitted or null setting has the general value.
   *
   * @returns the settings, once they are on the server's disk
   * @throws {RequestError} 400, 401, 403
   */
  async setDeviceSettings(deviceId: string, settings: NewDeviceSettings): Promise<DeviceSettings> {
    const params = { path: { deviceId } }
    return this.call((api) => api.PUT('/admin/api/devices/{deviceId}', { params, body: settings }))
  }

  /**
   * Returns what changed since a time, for the next shift. For role MAN or READER.
   *
   * @param query.from a time, or `last`: the last sign-in of the client before the present visit. Default: a day ago
   * @throws {RequestError} 400: the range is empty, has more than 31 days, or no earlier sign-in is known; 401, 403
   */
  handover(query: HandoverQuery = {}): Promise<Handover> {
    return this.call((api) => api.GET('/admin/api/handover', { params: { query } })) as Promise<Handover>
  }

  /** Returns the hand-over as a text to paste. @throws {RequestError} as {@link handover} */
  handoverText(query: HandoverTextQuery = {}): Promise<string> {
    const headers = { accept: `text/plain, ${PROBLEM_TYPE}` }
    return this.call((api) => api.GET('/admin/api/handover', { params: { query }, headers, parseAs: 'text' }))
  }

  /**
   * Iterates over live changes of messages and connections. The client needs role MAN or READER. After a lost connection the
   * iteration connects again and resumes after the last event.
   *
   * @throws {RequestError} 401, 403
   * @throws {ConnectionError} the first connection fails
   */
  subscribe(options: SubscribeOptions = {}): AsyncGenerator<LiveEvent> {
    const { details, events, devices = [] } = options
    const query = [
      ...(details ? ['details=true'] : []),
      ...(events ? [`events=${events.join()}`] : []),
      ...devices.map((id) => `deviseId=${encodeURIComponent(id)}`),
    ]
    const path = ['/admin/api/events', ...(query.length > 0 ? [query.join('&')] : [])].join('?')
    return liveEvents((headers, signal) => this.stream(path, headers, signal), options)
  }
}

function isIds(which: MessageQuery | readonly number[]): which is readonly number[] {
  return Array.isArray(which)
}
