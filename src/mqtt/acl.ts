/**
 * Access control list: the topics to which a client may publish, and the filters to which it may subscribe. Knows no
 * connection.
 */
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
   * Returns whether a client may publish to a topic. Wills and retained messages follow the same rule.
   *
   * @param parsed result of `parseTopic` for the topic
   */
  mayPublish(client: Client, topic: string, parsed = parseTopic(topic)): boolean {
    // Topics with $ belong to the server [MQTT-4.7.2-1]. A PUBLISH to one of them can make the library drop other
    // clients.
    if (topic.startsWith('$')) return false
    if (client.unrestricted) return true
    if (parsed === null && !isOfBroker(topic)) return isAdmin(client) || this.#isExtra(topic)
    if (parsed !== null && isOfProducer(parsed.name)) return true
    return parsed?.name === 'consumer/response' && this.#canActFor(client, parsed.id)
  }

  maySubscribe(client: Client, filter: string): boolean {
    if (!isFilter(filter)) return false
    if (client.unrestricted) return true
    // This also refuses shared subscriptions, which begin with $share.
    if (filter.startsWith('$')) return isAdmin(client) && covers('$SYS/#', filter)
    if (isAdmin(client) || this.#isExtra(filter)) return true
    if (!isOfBroker(filter)) return false
    if (this.#canActFor(client, null)) return true
    // The filter of a gateway covers only its devices. Each message is checked again, by its topic.
    if (filter === GATEWAY_FILTER) return this.gatewayList(client) !== null
    const parsed = parseTopic(filter)
    return parsed !== null && !isOfProducer(parsed.name) && this.#canActFor(client, parsed.id)
  }

  /** Returns the devices for which a client may be a gateway; null if it may not be a gateway. */
  gatewayList(client: Client): DeviceList | null {
    if (client.unrestricted || !client.roles.includes('DEVISE')) return null
    const list = this.#devicesOf(client.id)
    return list.isEmpty ? null : list
  }

  #isExtra(filter: string): boolean {
    return this.#extraTopics.some((extra) => covers(extra, filter))
  }
}

/** Returns whether a topic belongs to producers, who may publish to it for any device. */
function isOfProducer(name: TopicName): boolean {
  return name === 'producer/request' || name === 'producer/cancel'
}

function isAdmin({ roles }: Client): boolean {
  return roles.includes('MAN')
}
