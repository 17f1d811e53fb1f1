/** Defines the options and the results of the client. The result types derive from the API description. */
import type { Terms } from '../broker/vocabulary/term-table.ts'
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

/** JSON body of a response with status 200. */
type Answer<Operation extends { responses: { 200: { content: { 'application/json': unknown } } } }> =
  Operation['responses'][200]['content']['application/json']

/** Status, cause, reason and result of a message. */
export type MessageReport = Answer<paths['/producer/messages']['get']>[number]
/** Message with its terms, history and attempts. */
export type MessageDetail = Answer<paths['/producer/messages/{id}']['get']>
export type CancelResult = Answer<paths['/producer/cancelMessage/{messageId}']['post']>
export type CancelAllResult = Answer<paths['/producer/cancelMessages/{deviceId}']['post']>

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

export interface WaitOptions {
  /** Maximum wait in milliseconds. Default: no limit. */
  readonly timeoutMs?: number
  /** Minimum time in milliseconds between two requests that the server answered at once. Default: 200. */
  readonly intervalMs?: number
  /** Aborting it rejects the wait with the reason of the signal. */
  readonly signal?: AbortSignal
}

export interface PollOptions {
  /** Seconds for which the server may hold the poll until it can dispatch a message, at most 60. Default: no wait. */
  readonly waitSeconds?: number | undefined
  /** True adds `attempt`, `remainingSeconds` and `finishSeconds` to the message. */
  readonly details?: boolean | undefined
  /** Aborting it rejects the poll with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface AcknowledgeOptions {
  /** JSON value that the command returned. The server keeps at most 16,384 bytes. */
  readonly result?: unknown
  /** Reason for the status, in prose. The server keeps 500 characters. */
  readonly reason?: string | undefined
}

export interface CancelOptions {
  /** True also cancels dispatched messages that are not acknowledged, although the device may have them. */
  readonly force?: boolean | undefined
}

export interface CancelAllOptions extends CancelOptions {
  /** Command of the messages. Default: any command. */
  readonly command?: string | undefined
}
