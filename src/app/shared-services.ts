/** Defines the services that the package's own trees share with the endpoints of other prefixes. Types only. */

import type { StatusChange, TimelineAttempt } from '../broker/views/timeline.ts'
import type { Wait } from '../broker/views/wait-reasons.ts'
import type { MessageRecord, ReplyTo } from '../broker/vocabulary/message.ts'
import type { Cause, Guarantee, Status } from '../broker/vocabulary/status.ts'
import type { Terms } from '../broker/vocabulary/term-table.ts'
import type { RawJson } from '../web/endpoint.ts'
import type { ApiDescription } from '../web/openapi.ts'
import type { Identity } from '../web/types.ts'

/**
 * Command for a device, sent by an endpoint.
 *
 * @example
 * ```ts
 * const command: NewCommand = { deviceId: 'pump-1', command: 'start', data: { speed: 3 }, terms: { validSeconds: 60 } }
 * ```
 */
export interface NewCommand {
  readonly deviceId: string
  readonly command: string
  /**
   * A plain object, stored as `JSON.stringify` writes it, or a RawJson that holds one JSON object, stored unchanged. At
   * most `server.body-limit` bytes of JSON. Default: `{}`.
   */
  readonly data?: object | null | undefined
  /** Default: `RECEIPT_CONFIRMATION`. */
  readonly guarantee?: Guarantee | null | undefined
  /** Client that sends the command: `this.call.identity`, or an id. Default: null, which means unknown. */
  readonly sender?: Pick<Identity, 'id'> | string | null | undefined
  /** Producer to notify of changes, and its own id of the message. Default: null. */
  readonly replyTo?: { readonly [Part in keyof ReplyTo]?: ReplyTo[Part] | undefined } | null | undefined
  /** Times and attempts that limit the dispatch. Default: the settings of the device. */
  readonly terms?: { readonly [Name in keyof Terms]?: Terms[Name] | undefined } | null | undefined
  /** Id of a message of the same device that this command cancels, if that message was never dispatched. */
  readonly replaces?: number | null | undefined
  /** Key of a repeated submit, which stores nothing and returns the first result. Its scope is the sender. */
  readonly idempotencyKey?: string | null | undefined
}

/**
 * Result of a submit, once the message is durable.
 *
 * @example
 * ```ts
 * const { id, status }: EnqueueResult = await broker.enqueue({ deviceId: 'pump-1', command: 'start' })
 * ```
 */
export interface EnqueueResult {
  readonly id: number
  readonly correlationId: number | null
  readonly status: Status
}

/**
 * Options of a cancellation.
 *
 * @example
 * ```ts
 * const options: CancelOptions = { by: 'shop', force: true }
 * await broker.cancel(17, options)
 * ```
 */
export interface CancelOptions {
  /** Client that cancels the message, for its history: `this.call.identity`, or an id. */
  readonly by?: NewCommand['sender']
  /** True also cancels a message that was dispatched and not acknowledged. */
  readonly force?: boolean
}

/**
 * Message with its history, as in the admin API. Times are milliseconds since 1970.
 *
 * @example
 * ```ts
 * const message: MessageView = await broker.message(17)
 * const times = message.history.map(({ atMs, status }) => `${new Date(atMs).toISOString()} ${status}`)
 * ```
 */
export interface MessageView
  extends Omit<
    MessageRecord,
    'data' | 'cause' | 'changedAtMs' | 'brokenAtMs' | 'deliveredBy' | 'changedBy' | 'supersededBy'
  > {
  /** Reason of the status. */
  readonly cause: Cause
  /** Data as the producer wrote it. `JSON.parse(data.text)` is its value. */
  readonly data: RawJson
  readonly history: readonly StatusChange[]
  readonly attempts: readonly TimelineAttempt[]
  /** Reason why the message is pending; null if it is not pending. */
  readonly wait: Wait | null
}

/**
 * Change of the status of a message. A new message changes to NOT_DELIVERED.
 *
 * @example
 * ```ts
 * broker.onChange(({ id, deviceId, status }: MessageChange) => log.info({ id, deviceId }, status))
 * ```
 */
export interface MessageChange extends EnqueueResult {
  readonly deviceId: string
  readonly producerId: string | null
  /** Reason of the status. */
  readonly cause: Cause
}

/**
 * Broker for endpoint authors. It performs the checks of REST except the rights of callers, which are the task of the
 * endpoint.
 *
 * @example
 * ```ts
 * const { id } = await broker.enqueue({ deviceId: 'pump-1', command: 'start', sender: 'shop' })
 * const status = await broker.status(id)
 * ```
 */
export interface SharedBroker {
  /**
   * Stores a command in its device's queue. Resolves when the message is durable.
   *
   * @throws {BrokerError} bad-message, bad-terms, key-reused, queue-full, too-large-for-device, storage-full, storage-busy, storage-failed,
   * storage-closed; for `replaces`: unknown-message, handed-over
   */
  enqueue(command: NewCommand): Promise<EnqueueResult>
  /** Returns the status of a message. @throws {BrokerError} bad-message, unknown-message, storage-failed */
  status(id: number): Promise<Status>
  /** Returns a message with its history. @throws {BrokerError} bad-message, unknown-message, storage-failed */
  message(id: number): Promise<MessageView>
  /**
   * Cancels a message that was never dispatched, or with `force` any pending message.
   *
   * @param options the options, or the client that cancels the message
   * @returns CANCELLED
   * @throws {BrokerError} bad-message, unknown-message, handed-over, storage errors
   */
  cancel(id: number, options?: CancelOptions | NewCommand['sender']): Promise<Status>
  /**
   * Returns an UNKNOWN message to its place in the queue.
   *
   * @returns NOT_DELIVERED
   * @throws {BrokerError} bad-message, unknown-message, not-unknown, expired, queue-full, storage errors
   */
  replay(id: number, options?: Pick<CancelOptions, 'by'>): Promise<Status>
  /**
   * Calls the listener after each durable change of a status. Omits a change that another node's later change has
   * overtaken. Errors of the listener are logged.
   *
   * @returns a function that ends the subscription. Call it in `close` of a `_services` file that subscribed in `open`
   */
  onChange(listener: (change: MessageChange) => void): () => void
}

/**
 * Services that the package's own trees offer to the classes of other prefixes.
 *
 * @example
 * ```ts
 * class Catalog extends Endpoint<Pick<SharedServices, 'describe'>> {
 *   GET() {
 *     return Object.keys(this.services.describe().paths)
 *   }
 * }
 * ```
 */
export interface SharedServices {
  readonly broker: SharedBroker
  /** Describes all trees in OpenAPI. Returns the same object until a tree is reloaded. */
  readonly describe: () => ApiDescription
}

/**
 * Selects the shared services that a class uses, as in `class Start extends Endpoint<Uses<'broker'>>`.
 *
 * @example
 * ```ts
 * class Start extends Endpoint<Uses<'broker'>> {
 *   POST(deviceId: string) {
 *     return this.services.broker.enqueue({ deviceId, command: 'start', sender: this.call.identity })
 *   }
 * }
 * ```
 */
export type Uses<Name extends keyof SharedServices> = Pick<SharedServices, Name>
