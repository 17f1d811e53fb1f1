/**
 * Which devices are there: those whose own topic of commands a connection subscribes to, by name. A filter with
 * wildcards sees what they are given, and makes no device present. Knows no packets.
 */
import type { Client as Peer } from 'aedes'
import { parseTopic } from './topics.ts'

/** By filter; the library's types leave it out. */
type Subscribed = Peer & { readonly subscriptions: Readonly<Record<string, unknown>> }

export interface PresenceListener {
  attach(deviceId: string): void
  detach(deviceId: string): unknown
}

export class Presence {
  readonly #listener: PresenceListener
  readonly #devices = new Map<Peer, Set<string>>()
  readonly #peers = new Map<string, Set<Peer>>()

  constructor(listener: PresenceListener) {
    this.#listener = listener
  }

  /** To be told when what a connection subscribes to may have changed. */
  look(peer: Peer): void {
    const now = new Set(peer.closed ? [] : devicesIn(Object.keys((peer as Subscribed).subscriptions)))
    const before = this.#devices.get(peer) ?? new Set()
    for (const deviceId of before) if (!now.has(deviceId)) this.#detach(peer, deviceId)
    if (now.size > 0) this.#devices.set(peer, now)
    else this.#devices.delete(peer)
    for (const deviceId of now) if (!before.has(deviceId)) this.#attach(peer, deviceId)
  }

  left(peer: Peer): void {
    const devices = this.#devices.get(peer) ?? []
    this.#devices.delete(peer)
    for (const deviceId of devices) this.#detach(peer, deviceId)
  }

  /** The devices that a connection is. */
  devicesOf(peer: Peer): Iterable<string> {
    return this.#devices.get(peer) ?? []
  }

  peersOf(deviceId: string): readonly Peer[] {
    return [...(this.#peers.get(deviceId) ?? [])]
  }

  #attach(peer: Peer, deviceId: string): void {
    const peers = this.#peers.get(deviceId) ?? new Set()
    this.#peers.set(deviceId, peers.add(peer))
    this.#listener.attach(deviceId)
  }

  #detach(peer: Peer, deviceId: string): void {
    const peers = this.#peers.get(deviceId)
    peers?.delete(peer)
    if (peers?.size === 0) this.#peers.delete(deviceId)
    void this.#listener.detach(deviceId)
  }
}

function* devicesIn(filters: Iterable<string>): Generator<string> {
  for (const filter of filters) {
    const topic = parseTopic(filter)
    if (topic?.name === 'consumer/request') yield topic.id
  }
}
