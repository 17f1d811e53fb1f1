/** Decides who may publish and subscribe to what: two pure functions. Knows no connection. */
import type { CanActFor, Client } from '../auth/queue-access.ts'
import { covers, isFilter, isOfBroker, parseTopic } from './topics.ts'

export interface AclOptions {
  readonly canActFor: CanActFor
  /** MQTT_EXTRA_TOPICS: filters that are open to every client; none reaches under `producer/`, `consumer/` or `$`. */
  readonly extraTopics: readonly string[]
}

export class Acl {
  readonly #canActFor: CanActFor
  readonly #extraTopics: readonly string[]

  constructor({ canActFor, extraTopics }: AclOptions) {
    this.#canActFor = canActFor
    this.#extraTopics = extraTopics
  }

  /** Decides for a message, a will and a retained message alike. @param topic without wildcards */
  mayPublish(client: Client, topic: string): boolean {
    // [MQTT-4.7.2-1]: these are the server's own. One of them would even make the library drop other clients.
    if (topic.startsWith('$')) return false
    if (client.unrestricted) return true
    if (!isOfBroker(topic)) return isAdmin(client) || this.#isExtra(topic)
    const parsed = parseTopic(topic)
    if (parsed?.name === 'producer/request') return true
    return parsed?.name === 'consumer/response' && this.#canActFor(client, parsed.id)
  }

  maySubscribe(client: Client, filter: string): boolean {
    if (!isFilter(filter)) return false
    if (client.unrestricted) return true
    // Shared subscriptions are among the refused ones.
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
