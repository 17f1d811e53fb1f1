/** Decides to which topics a client may publish, and to which filters it may subscribe. Knows no connection. */
import type { CanActFor, Client } from '../auth/queue-access.ts'
import { covers, isFilter, isOfBroker, parseTopic } from './topics.ts'

export interface AclOptions {
  readonly canActFor: CanActFor
  /** Filters of MQTT_EXTRA_TOPICS, open to every client. None overlaps `producer/` or `consumer/`, or begins with `$`. */
  readonly extraTopics: readonly string[]
}

export class Acl {
  readonly #canActFor: CanActFor
  readonly #extraTopics: readonly string[]

  constructor({ canActFor, extraTopics }: AclOptions) {
    this.#canActFor = canActFor
    this.#extraTopics = extraTopics
  }

  /** Tells whether a client may publish to a topic. The same rule holds for a will and a retained message. */
  mayPublish(client: Client, topic: string): boolean {
    // Topics with $ belong to the server [MQTT-4.7.2-1]. A PUBLISH to one of them can make the library drop other clients.
    if (topic.startsWith('$')) return false
    if (client.unrestricted) return true
    if (!isOfBroker(topic)) return isAdmin(client) || this.#isExtra(topic)
    const parsed = parseTopic(topic)
    if (parsed?.name === 'producer/request') return true
    return parsed?.name === 'consumer/response' && this.#canActFor(client, parsed.id)
  }

  /** Tells whether a client may subscribe to a filter. */
  maySubscribe(client: Client, filter: string): boolean {
    if (!isFilter(filter)) return false
    if (client.unrestricted) return true
    // This refuses shared subscriptions too, since they begin with $share.
    if (filter.startsWith('$')) return isAdmin(client) && covers('$SYS/#', filter)
    if (isAdmin(client) || this.#isExtra(filter)) return true
    if (!isOfBroker(filter)) return false
    if (this.#canActFor(client, null)) return true
    const parsed = parseTopic(filter)
    return parsed !== null && parsed.name !== 'producer/request' && this.#canActFor(client, parsed.id)
  }

  #isExtra(filter: string): boolean {
    return this.#extraTopics.some((extra) => covers(extra, filter))
  }
}

function isAdmin({ roles }: Client): boolean {
  return roles.includes('MAN')
}
