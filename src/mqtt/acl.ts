/** Decides to which topics a client may publish, and to which filters it may subscribe. Knows no connection. */
import type { DeviceList } from '../auth/device-list.ts'
import type { CanActFor, Client, DevicesOf } from '../auth/queue-access.ts'
import { GATEWAY_FILTER } from './gateways.ts'
import { covers, isFilter, isOfBroker, parseTopic, type TopicName } from './topics.ts'

export interface AclOptions {
  readonly canActFor: CanActFor
  readonly devicesOf: DevicesOf
  /** Filters of MQTT_EXTRA_TOPICS, open to every client. None overlaps `producer/` or `consumer/`, or begins with `$`. */
  readonly extraTopics: readonly string[]
}

export class Acl {
  readonly #canActFor: CanActFor
  readonly #devicesOf: DevicesOf
  readonly #extraTopics: readonly string[]

  constructor({ canActFor, devicesOf, extraTopics }: AclOptions) {
    this.#canActFor = canActFor
    this.#devicesOf = devicesOf
    this.#extraTopics = extraTopics
  }

  /**
   * Tells whether a client may publish to a topic. The same rule holds for a will and a retained message.
   *
   * @param parsed the topic as `parseTopic` returns it
   */
  mayPublish(client: Client, topic: string, parsed = parseTopic(topic)): boolean {
    // Topics with $ belong to the server [MQTT-4.7.2-1]. A PUBLISH to one of them can make the library drop other clients.
    if (topic.startsWith('$')) return false
    if (client.unrestricted) return true
    if (parsed === null && !isOfBroker(topic)) return isAdmin(client) || this.#isExtra(topic)
    if (parsed !== null && isOfProducer(parsed.name)) return true
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
    // The filter of a gateway covers its devices alone. Each message is checked again, by its topic.
    if (filter === GATEWAY_FILTER) return this.gatewayList(client) !== null
    const parsed = parseTopic(filter)
    return parsed !== null && !isOfProducer(parsed.name) && this.#canActFor(client, parsed.id)
  }

  /** Returns the devices for which a client may be a gateway; null when it may be none. */
  gatewayList(client: Client): DeviceList | null {
    if (client.unrestricted || !client.roles.includes('DEVISE')) return null
    const list = this.#devicesOf(client.id)
    return list.isEmpty ? null : list
  }

  #isExtra(filter: string): boolean {
    return this.#extraTopics.some((extra) => covers(extra, filter))
  }
}

/** Tells whether only producers publish to a topic, each for any device. */
function isOfProducer(name: TopicName): boolean {
  return name === 'producer/request' || name === 'producer/cancel'
}

function isAdmin({ roles }: Client): boolean {
  return roles.includes('MAN')
}
