/** Defines the options and the results of the client. The result types derive from the API description. */
import type { ReportTexts } from '../broker/vocabulary/report-table.ts'
import type { Terms } from '../broker/vocabulary/term-table.ts'
import type { components, paths } from './types.ts'

type Schemas = components['schemas']

/**
 * Status of a message.
 *
 * @example
 * ```ts
 * const status: DeliveryStatus = await client.status(17)
 * ```
 */
export type DeliveryStatus = Schemas['DeliveryStatus']

/**
 * Guarantee of delivery of a message.
 *
 * @example
 * ```ts
 * const guarantee: DeliveryGuarantee = 'ONLY_LAST'
 * ```
 */
export type DeliveryGuarantee = Schemas['DeliveryGuarantee']

/**
 * Status that a device may report.
 *
 * @example
 * ```ts
 * const reported: AckStatus = 'COMPLETED'
 * ```
 */
export type AckStatus = NonNullable<Schemas['Acknowledgement']['deliveryStatus']>

/**
 * Message as its device receives it.
 *
 * @example
 * ```ts
 * const message: ConsumerMessage | null = await client.poll('pump-1', { waitSeconds: 30 })
 * ```
 */
export type ConsumerMessage = Schemas['ConsumerMessage']

/**
 * Result of {@link Client.send}.
 *
 * @example
 * ```ts
 * const { id, deliveryStatus }: ProducerMessageResult = await client.send('pump-1', 'start')
 * ```
 */
export type ProducerMessageResult = Schemas['ProducerMessageResult']

/**
 * Result of {@link Client.login}.
 *
 * @example
 * ```ts
 * const { accessToken }: LoginResult = await client.login('shop', 'PASSWORD')
 * ```
 */
export type LoginResult = Schemas['LoginResult']

/**
 * Message of a list.
 *
 * @example
 * ```ts
 * const all: Message[] = []
 * for await (const message of client.messages({ status: 'UNKNOWN' })) all.push(message)
 * ```
 */
export type Message = Schemas['Message']

/**
 * Settings of a device. Null: the general value applies.
 *
 * @example
 * ```ts
 * const settings: DeviceSettings = await client.deviceSettings('pump-1')
 * ```
 */
export type DeviceSettings = Schemas['DeviceSettings']

/**
 * Settings with which {@link Client.setDeviceSettings} replaces those of a device.
 *
 * @example
 * ```ts
 * const settings: NewDeviceSettings = { queueLimit: 100 }
 * await client.setDeviceSettings('pump-1', settings)
 * ```
 */
export type NewDeviceSettings = Schemas['NewDeviceSettings']

/**
 * Time out of service of a device. `untilDate` null: until a person ends it.
 *
 * @example
 * ```ts
 * const service: DeviceService | null = await client.devices.service('pump-1')
 * ```
 */
export type DeviceService = Schemas['DeviceService']

/**
 * Reason and end with which {@link DeviceCalls.takeOutOfService} takes a device out of service.
 *
 * @example
 * ```ts
 * const service: NewDeviceService = { reason: 'the valve is replaced' }
 * await client.devices.takeOutOfService('pump-1', service)
 * ```
 */
export interface NewDeviceService {
  readonly reason: string
  /** Milliseconds since 1970; null: until a person ends it. */
  readonly untilDate?: number | null
}

/**
 * Note of a person about a device.
 *
 * @example
 * ```ts
 * const [newest]: DeviceNote[] = await client.devices.notes('pump-1')
 * ```
 */
export type DeviceNote = Schemas['Note']

/**
 * Time of {@link Client.handover}, in milliseconds since 1970.
 *
 * @example
 * ```ts
 * const query: HandoverQuery = { from: 'last' }
 * ```
 */
export interface HandoverQuery {
  readonly from?: number | 'last' | undefined
  readonly to?: number | undefined
}

/**
 * Time and form of {@link Client.handoverText}.
 *
 * @example
 * ```ts
 * const query: HandoverTextQuery = { from: 'last', language: 'ru', utcOffset: 180 }
 * ```
 */
export interface HandoverTextQuery extends HandoverQuery {
  readonly language?: 'en' | 'ru' | undefined
  /** Minutes of the dates east of UTC. Default: those of the server. */
  readonly utcOffset?: number | undefined
}

/**
 * Result of {@link Client.handover}: the changes since a time, in parts.
 *
 * @example
 * ```ts
 * const { incidents }: Handover = await client.handover()
 * ```
 */
export type Handover = Schemas['Handover']

/**
 * Filters of {@link Client.messages}.
 *
 * @example
 * ```ts
 * const query: MessageQuery = { deviseId: 'pump-1', status: 'UNKNOWN' }
 * ```
 */
export type MessageQuery = NonNullable<paths['/admin/api/messages']['get']['parameters']['query']>

/** JSON body of a response with status 200. */
type Answer<Operation extends { responses: { 200: { content: { 'application/json': unknown } } } }> =
  Operation['responses'][200]['content']['application/json']

/**
 * Status, cause, reason and result of a message.
 *
 * @example
 * ```ts
 * const reports: MessageReport[] = await client.messages([17, 18])
 * ```
 */
export type MessageReport = Answer<paths['/producer/messages']['get']>[number]
/**
 * Message with its terms, history and attempts.
 *
 * @example
 * ```ts
 * const detail: MessageDetail = await client.message(17)
 * ```
 */
export type MessageDetail = Answer<paths['/producer/messages/{id}']['get']>

/**
 * Result of {@link Client.cancel}.
 *
 * @example
 * ```ts
 * const result: CancelResult = await client.cancel(17)
 * ```
 */
export type CancelResult = Answer<paths['/producer/cancelMessage/{messageId}']['post']>

/**
 * Result of {@link Client.cancelAll}.
 *
 * @example
 * ```ts
 * const result: CancelAllResult = await client.cancelAll('pump-1')
 * ```
 */
export type CancelAllResult = Answer<paths['/producer/cancelMessages/{deviceId}']['post']>

/**
 * Options of a {@link Client}.
 *
 * @example
 * ```ts
 * const options: ClientOptions = { url: 'https://broker:8080', token: 'TOKEN' }
 * ```
 */
export interface ClientOptions {
  /** Base URL of the server, such as `http://HOST:PORT`. Trailing slashes are ignored. */
  readonly url: string
  /** Access token for all calls until the next login. */
  readonly token?: string | undefined
  /**
   * Id and password of a client. With credentials, the client logs in before its first call, and again when the token
   * has expired.
   */
  readonly credentials?: { readonly deviceId: string; readonly password: string } | undefined
  /** Function that makes the requests, for a proxy or custom certificates. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Terms of a message. An omitted term has the default of the device or of the server. */
type TermOptions = { readonly [Name in keyof Terms]?: NonNullable<Terms[Name]> | undefined }

/**
 * Options of {@link Client.send}.
 *
 * @example
 * ```ts
 * const options: SendOptions = { guarantee: 'ONLY_LAST', validSeconds: 60, idempotencyKey: 'order-17' }
 * await client.send('pump-1', 'start', { speed: 3 }, options)
 * ```
 */
export interface SendOptions extends TermOptions {
  /** Delivery guarantee of the message. The server's default is `RECEIPT_CONFIRMATION`. */
  readonly guarantee?: DeliveryGuarantee | undefined
  /**
   * Producer that the server notifies over MQTT of each status change, and the producer's own id of the message. On the
   * wire this is `messageBirthCertificate`.
   */
  readonly replyTo?: { readonly producerId: string; readonly correlationId: number } | undefined
  /** True adds cause, reason, result, number of attempts and date to the notifications of `replyTo`. */
  readonly details?: boolean | undefined
  /** Id of a message of the same device that the server cancels in the commit that stores the new message. */
  readonly replaces?: number | undefined
  /**
   * Key by which the server recognizes a repeated submit, 1 to 64 characters of U+0021 to U+007E. Default: a random
   * key. Null disables it: the client then does not repeat the submit after a lost connection.
   */
  readonly idempotencyKey?: string | null | undefined
}

/**
 * Options of {@link Client.waitFor}.
 *
 * @example
 * ```ts
 * const options: WaitOptions = { timeoutMs: 60_000, signal: AbortSignal.timeout(90_000) }
 * ```
 */
export interface WaitOptions {
  /** Maximum wait in milliseconds. Default: no limit. */
  readonly timeoutMs?: number
  /** Minimum time in milliseconds between two requests that the server answered at once. Default: 200. */
  readonly intervalMs?: number
  /** Aborting it rejects the wait with the reason of the signal. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Client.poll}.
 *
 * @example
 * ```ts
 * const options: PollOptions = { waitSeconds: 30, details: true }
 * ```
 */
export interface PollOptions {
  /** Seconds for which the server may hold the poll until it can dispatch a message, at most 60. Default: no wait. */
  readonly waitSeconds?: number | undefined
  /** True adds `attempt`, `remainingSeconds` and `finishSeconds` to the message. */
  readonly details?: boolean | undefined
  /** Aborting it rejects the poll with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Texts of a report. The server cuts a text that is too long. */
type ReportOptions = { readonly [Name in keyof ReportTexts]?: NonNullable<ReportTexts[Name]> | undefined }

/**
 * Options of {@link Client.acknowledge}.
 *
 * @example
 * ```ts
 * const options: AcknowledgeOptions = { result: { litres: 12 }, reason: 'tank full' }
 * await client.acknowledge('pump-1', 17, 'COMPLETED', options)
 * ```
 */
export interface AcknowledgeOptions extends ReportOptions {
  /** JSON value that the command returned. The server keeps at most 16,384 bytes. */
  readonly result?: unknown
}

/**
 * Options of {@link Client.cancel}.
 *
 * @example
 * ```ts
 * const options: CancelOptions = { force: true }
 * ```
 */
export interface CancelOptions {
  /** True also cancels dispatched messages that are not acknowledged, although the device may have them. */
  readonly force?: boolean | undefined
}

/**
 * Options of {@link Client.cancelAll}.
 *
 * @example
 * ```ts
 * const options: CancelAllOptions = { command: 'start', force: true }
 * ```
 */
export interface CancelAllOptions extends CancelOptions {
  /** Command of the messages. Default: any command. */
  readonly command?: string | undefined
}
