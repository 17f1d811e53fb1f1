/** Creates the broker service for endpoints of other prefixes (`this.services`) from the parts of the domain. */
import { actorNamed } from '../audit/actor.ts'
import type { Transitioned } from '../broker/contract/store.ts'
import type { Broker } from '../broker/engine/broker.ts'
import type { Messages } from '../broker/views/messages.ts'
import { causeOf } from '../broker/vocabulary/message.ts'
import type { Log } from '../process/log.ts'
import { RawJson } from '../web/endpoint.ts'
import { cancelOptionsOf, checkId, fromNewCommand } from './new-command.ts'
import type { MessageChange, SharedBroker } from './shared-services.ts'

export interface SharedBrokerParts {
  readonly broker: Pick<Broker, 'enqueue' | 'cancel' | 'replay' | 'status' | 'onChange'>
  readonly messages: Pick<Messages, 'get'>
  /** Maximum bytes of `data`. */
  readonly bodyLimit: number
  readonly log: Pick<Log, 'error'>
}

export function sharedBroker({ broker, messages, bodyLimit, log }: SharedBrokerParts): SharedBroker {
  return {
    async enqueue(command) {
      const submission = fromNewCommand(command, bodyLimit)
      const { id, status } = await broker.enqueue(submission)
      return { id, correlationId: submission.replyTo?.correlationId ?? null, status }
    },
    async status(id) {
      checkId(id)
      return broker.status(id)
    },
    async message(id) {
      checkId(id)
      const { message, changes, attempts, wait } = await messages.get(id)
      const { changedAtMs, brokenAtMs, deliveredBy, changedBy, supersededBy, data, ...members } = message
      const cause = causeOf(message)
      return { ...members, cause, data: new RawJson(data), history: changes, attempts, wait }
    },
    async cancel(id, options) {
      const { by, force } = cancelOptionsOf(id, options)
      return (await broker.cancel(id, { by: actorNamed(by), force })).status
    },
    async replay(id, options) {
      const { by } = cancelOptionsOf(id, options)
      return broker.replay(id, { by: actorNamed(by) })
    },
    onChange(listener) {
      const failed = (error: unknown): void =>
        log.error({ err: error }, 'a listener of broker.onChange failed')
      return broker.onChange((change) => {
        try {
          const result: unknown = listener(toMessageChange(change))
          if (result instanceof Promise) result.catch(failed)
        } catch (error) {
          failed(error)
        }
      })
    },
  }
}

function toMessageChange({ messageId, deviceId, status, cause, replyTo }: Transitioned): MessageChange {
  const { correlationId = null, producerId = null } = replyTo ?? {}
  return { id: messageId, deviceId, status, cause, correlationId, producerId }
}
