/**
 * Handles SUBSCRIBE and UNSUBSCRIBE: decides on each filter, passes the accepted filters to the library, and answers
 * with one code per filter of the packet, in order. Knows no access control.
 */
import type { SubscribePacket, Subscription, UnsubscribePacket } from 'aedes'
import { generate } from 'mqtt-packet'
import {
  endsWithConnection,
  type Peer,
  resetKeepAlive,
  subscribe,
  subscriptionsOf,
} from './aedes-internals.ts'
import { contain, send } from './connection.ts'
import type { Sessions } from './sessions.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'

/** Codes of UNSUBACK (MQTT 5 section 3.11.3). */
const SUCCESS = 0x00
const NO_SUBSCRIPTION_EXISTED = 0x11
/** The only code for a refused filter before version 5 [MQTT-3.9.3-2]. */
const FAILURE = 0x80
/** Codes for a refused filter in version 5 (section 3.9.3). */
const REFUSED = { NOT_AUTHORIZED: 0x87, QUOTA_EXCEEDED: 0x97, SHARED: 0x9e } as const

export interface SubscriptionHandlerOptions {
  readonly sessions: Pick<Sessions, 'whenReady' | 'removeSubscriptions'>
  readonly quota: Pick<SubscriptionQuota, 'take'>
  /** Returns whether a client may subscribe to a filter. Reports a refusal. */
  readonly authorize: (peer: Peer, filter: string) => boolean
  /** Called with the first filter of a SUBSCRIBE beyond the quota. */
  readonly beyondQuota: (peer: Peer, filter: string) => void
}

export class SubscriptionHandler {
  readonly #options: SubscriptionHandlerOptions

  constructor(options: SubscriptionHandlerOptions) {
    this.#options = options
  }

  /** Handles a packet. @param done called after the answer; not called if the connection ends before */
  handle(peer: Peer, packet: SubscribePacket | UnsubscribePacket, done: () => void): void {
    resetKeepAlive(peer)
    if (packet.cmd === 'subscribe') this.#subscribe(peer, packet, done)
    else this.#unsubscribe(peer, packet, done)
  }

  #subscribe(peer: Peer, { messageId, subscriptions, ...packet }: SubscribePacket, done: () => void): void {
    /** Accepted subscriptions by filter. The last subscription of a filter wins [MQTT-3.8.4-3]. */
    const accepted = new Map<string, Subscription>()
    const beyondQuota: string[] = []
    const granted = subscriptions.map((each) => {
      const code = this.#decide(peer, each)
      if (code === REFUSED.QUOTA_EXCEEDED) beyondQuota.push(each.topic)
      if (code < FAILURE) accepted.set(each.topic, each)
      return code < FAILURE || peer.version >= 5 ? code : FAILURE
    })
    if (beyondQuota[0] !== undefined) this.#options.beyondQuota(peer, beyondQuota[0])
    const answer = (): void => {
      const suback = { cmd: 'suback', messageId: messageId as number, granted } as const
      send(peer, generate(suback, { protocolVersion: peer.version }))
      done()
    }
    const start = (): void =>
      subscribe(peer, { ...packet, subscriptions: [...accepted.values()] }, (error) =>
        error ? peer.emit('error', error) : answer(),
      )
    const ready = this.#options.sessions.whenReady(peer)
    if (accepted.size === 0) answer()
    else if (ready) void ready.then(() => contain(peer, start))
    else start()
  }

  /** Returns the code of one filter: the granted QoS, or the code of the refusal. */
  #decide(peer: Peer, { topic, qos }: Subscription): number {
    if (peer.version >= 5 && topic.startsWith('$share/')) return REFUSED.SHARED
    if (!this.#options.authorize(peer, topic)) return REFUSED.NOT_AUTHORIZED
    return this.#options.quota.take(peer, topic) ? qos : REFUSED.QUOTA_EXCEEDED
  }

  #unsubscribe(peer: Peer, { messageId, unsubscriptions }: UnsubscribePacket, done: () => void): void {
    const held = new Set<string>()
    const granted = unsubscriptions.map((filter) => {
      if (held.has(filter) || subscriptionsOf(peer)[filter] === undefined) return NO_SUBSCRIPTION_EXISTED
      held.add(filter)
      return SUCCESS
    })
    const answer = (): void => {
      const unsuback = { cmd: 'unsuback', messageId: messageId as number, granted } as const
      send(peer, generate(unsuback, { protocolVersion: peer.version }))
      done()
    }
    const fail = (error: Error): void => void peer.emit('error', error)
    const packet = { cmd: 'unsubscribe', unsubscriptions: [...held] } as UnsubscribePacket
    const start = (): void => {
      if (held.size === 0) answer()
      else peer.unsubscribe(packet, (error) => (error ? fail(error) : answer()))
    }
    if (endsWithConnection(peer)) start()
    else
      this.#options.sessions.removeSubscriptions(peer, unsubscriptions).then(() => contain(peer, start), fail)
  }
}
