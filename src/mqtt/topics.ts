/** Parses and formats the topics of the broker, and compares topic filters. Knows no client and no connection. */

/*
 * producer/request/{deviceId}     producer to broker: a command for a device
 * producer/cancel/{deviceId}      producer to broker: a cancellation of commands for a device
 * consumer/request/{deviceId}     broker to consumer: the command
 * consumer/response/{deviceId}    consumer to broker: the acknowledgement
 * producer/response/{producerId}  broker to producer: the status
 * producer/error/{senderId}       broker to a client: the reason why its message was refused
 */
export const TOPICS = [
  'producer/request',
  'producer/cancel',
  'consumer/request',
  'consumer/response',
  'producer/response',
  'producer/error',
] as const
export type TopicName = (typeof TOPICS)[number]
const NAMES: ReadonlyMap<string, TopicName> = new Map(TOPICS.map((name) => [name, name]))

export interface BrokerTopic {
  readonly name: TopicName
  /** Id in one topic level. A client whose id contains `/`, `+` or `#` has no topic and can use REST only. */
  readonly id: string
}

/** Parses a topic of the broker; returns null for any other topic, and for a filter with wildcards. */
export function parseTopic(topic: string): BrokerTopic | null {
  const at = topic.lastIndexOf('/')
  const name = NAMES.get(topic.slice(0, at))
  const id = topic.slice(at + 1)
  return name === undefined || !isLevel(id) ? null : { name, id }
}

/** Builds a topic of the broker; returns null if the id is not valid as one level. */
export function formatTopic(name: TopicName, id: string): string | null {
  return isLevel(id) ? `${name}/${id}` : null
}

/** Returns whether a topic or filter lies under `producer/` or `consumer/`, where only the broker defines topics. */
export function isOfBroker(topic: string): boolean {
  return /^(?:producer|consumer)(?:\/|$)/.test(topic)
}

/** Returns whether a topic or filter is for messages between clients, which the broker does not read. */
export function isForClients(topic: string): boolean {
  return !isOfBroker(topic) && !topic.startsWith('$')
}

/** Returns whether clients send commands, cancellations or acknowledgements to the broker over a topic. */
export function isForBroker(topic: string): boolean {
  return (
    topic.startsWith('producer/request/') ||
    topic.startsWith('consumer/response/') ||
    topic.startsWith('producer/cancel/')
  )
}

/** Returns whether a topic carries commands, to the broker or from it. */
export function isCommand(topic: string): boolean {
  return topic.startsWith('consumer/request/') || topic.startsWith('producer/request/')
}

/** Returns whether a text is a topic filter [MQTT-4.7.1-2], [MQTT-4.7.1-3], [MQTT-4.7.3-1]. */
export function isFilter(text: string): boolean {
  return text !== '' && !/(?:^|[^/])#|#.|[^/]\+|\+[^/]/u.test(text.replace(/^#$/, ''))
}

/**
 * Returns whether every topic that matches `filter` also matches `cover`. A topic is a filter without wildcards. A
 * wildcard in the first level does not match topics that begin with `$` [MQTT-4.7.2-1].
 */
export function covers(cover: string, filter: string): boolean {
  const covering = cover.split('/')
  const levels = filter.split('/')
  if (filter.startsWith('$') && !cover.startsWith('$')) return false
  for (const [i, level] of covering.entries()) {
    // `a/#` also matches `a`.
    if (level === '#') return true
    if (i >= levels.length || levels[i] === '#') return false
    if (level !== '+' && level !== levels[i]) return false
  }
  return covering.length === levels.length
}

/**
 * Returns an expression that matches the topics of a filter, for many comparisons: {@link covers} splits both texts
 * each time. No part of the expression backtracks, because no level contains `/`.
 */
export function patternOf(filter: string): RegExp {
  const levels = filter.split('/').map((level) => {
    if (level === '+') return '[^/]*'
    return level.replace(/[.*?^${}()|[\]\\]/g, '\\$&')
  })
  const isOpen = levels.at(-1) === '#'
  if (isOpen) levels.pop()
  const system = /^[+#]/.test(filter) ? '(?!\\$)' : ''
  const rest = isOpen ? (levels.length === 0 ? '.*' : '(?:/.*)?') : ''
  return new RegExp(`^${system}${levels.join('/')}${rest}$`, 's')
}

/** Returns whether at least one topic matches both filters. */
export function overlaps(one: string, other: string): boolean {
  const a = one.split('/')
  const b = other.split('/')
  for (let i = 0; ; i++) {
    if (a[i] === '#' || b[i] === '#') return true
    if (a[i] === undefined || b[i] === undefined) return a[i] === b[i]
    if (a[i] !== b[i] && a[i] !== '+' && b[i] !== '+') return false
  }
}

function isLevel(id: string): boolean {
  return id !== '' && !/[/+#]/.test(id)
}
