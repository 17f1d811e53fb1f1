/**
 * Wraps all internals of the MQTT library (aedes) that its types omit. The version is pinned, because internals may
 * change.
 */
import type { EventEmitter } from 'node:events'
import type { Aedes, Client, PublishPacket, SubscribePacket, Subscription, UnsubscribePacket } from 'aedes'

export type Peer = Client

/** Reason code of a connection whose session another connection took over (MQTT 5 section 2.4). */
export const SESSION_TAKEN_OVER = 0x8e

interface Internals {
  clean: boolean
  /** Clean Start of CONNECT. `clean` means that the session ends with the connection. */
  readonly _cleanStart: boolean
  /** False if the client wants no reason strings. */
  readonly _requestProblemInformation: boolean
  readonly subscriptions: Readonly<Record<string, OpenSubscription | undefined>>
  /** True after the client has sent DISCONNECT, which discards its will. */
  _disconnected: boolean
  readonly will: PublishPacket | null
  _nextId: number
  readonly _keepaliveTimer: NodeJS.Timeout | null
  /** Milliseconds without a packet after which the library ends the connection. */
  readonly _keepaliveInterval: number
  readonly _parser: EventEmitter
  _parsingBatch: number
  /** Reports a handled packet. The library continues reading when it has handled all packets. */
  _nextBatch: (error?: Error) => void
  /** Delivers a packet to the client: `deliver0` for subscriptions of QoS 0, `deliverQoS` for others. */
  deliver0: Deliver
  deliverQoS: Deliver
}

type Deliver = (packet: PublishPacket, done: () => void) => void

interface DelayedWills {
  readonly delayedWills: ReadonlyMap<string, unknown>
  /** Sessions that another connection takes over. */
  readonly _takingOver: ReadonlySet<string>
  scheduleWill(client: Peer, will: PublishPacket, delaySeconds: number): void
  clearDelayedWill(clientId: string): void
  publishWill(client: Peer, will: PublishPacket): void
}

interface OpenSubscription {
  readonly qos: number
  /** Subscription identifier of MQTT 5. */
  readonly si?: number | undefined
  func(packet: PublishPacket, done: () => void): void
}

/** PUBLISH with the mark `_notAuthorized`: the library neither acknowledges nor forwards it. */
export type SuppressedPublish = PublishPacket & { _notAuthorized?: boolean; messageId?: number }

/**
 * Removes the prototype from the library's table of subscriptions. With a prototype, the library finds a filter such as
 * `constructor` or `toString` that the table does not have, and throws an error that ends the process.
 */
export function hardenSubscriptions(peer: Peer): void {
  Object.setPrototypeOf(subscriptionsOf(peer), null)
}

/**
 * Reports errors that the library throws while it handles a client's packets or delivers a packet to the client. They
 * would otherwise be uncaught.
 */
export function containErrors(peer: Peer, fail: (error: unknown) => void): void {
  const state = internals(peer)
  const { _nextBatch, deliver0, deliverQoS } = state
  state._nextBatch = (error) => {
    try {
      _nextBatch(error)
    } catch (thrown) {
      fail(thrown)
    }
  }
  peer.conn.off('readable', _nextBatch)
  peer.conn.on('readable', state._nextBatch)
  const contained =
    (deliver: Deliver): Deliver =>
    (packet, done) => {
      try {
        deliver(packet, done)
      } catch (thrown) {
        fail(thrown)
        // The sender waits for all subscribers.
        done()
      }
    }
  state.deliver0 = contained(deliver0)
  state.deliverQoS = contained(deliverQoS)
}

/**
 * Reports errors that the library throws when it continues after a call of its storage. The library continues in
 * callbacks of promises without a rejection handler.
 *
 * @param fail receives the id of the session; undefined for a call that concerns none
 */
export function containStorageErrors<T extends object>(
  storage: T,
  fail: (sessionId: string | undefined, error: unknown) => void,
): T {
  return new Proxy(storage, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      // The library inspects the kind of this function.
      if (name === 'setup') return member.bind(target)
      return (...given: { readonly id?: string }[]) => {
        const result = member.apply(target, given)
        return result instanceof Promise ? guarded(result, (error) => fail(given[0]?.id, error)) : result
      }
    },
  })
}

function guarded<T>(promise: Promise<T>, fail: (error: unknown) => void): Promise<T> {
  type Callback = ((value: unknown) => unknown) | null | undefined
  const guard = (callback: Callback) =>
    callback &&
    ((value: unknown): unknown => {
      try {
        return callback(value)
      } catch (error) {
        return fail(error)
      }
    })
  const onThen = (resolved: Callback, rejected: Callback) =>
    Promise.prototype.then.call(promise, guard(resolved), guard(rejected))
  // biome-ignore lint/suspicious/noThenProperty: the library calls `then` of the promise that it gets
  return Object.assign(promise, { then: onThen }) as Promise<T>
}

/**
 * Passes each SUBSCRIBE and UNSUBSCRIBE of a client to `handle` instead of the library. Later packets wait until it is
 * handled, so that all packets keep their order.
 *
 * @param contain runs a task that may throw
 * @param handle calls `done` when it has handled the packet
 * @param onWait called with true when packets begin to wait, and with false when none waits
 */
export function interceptSubscriptions(
  peer: Peer,
  contain: (task: () => void) => void,
  handle: (packet: SubscribePacket | UnsubscribePacket, done: () => void) => void,
  onWait: (isWaiting: boolean) => void,
): void {
  const state = internals(peer)
  const [library] = state._parser.listeners('packet') as ((packet: AnyPacket) => void)[]
  if (!library) return
  let waiting: AnyPacket[] | null = null
  const give = (packet: AnyPacket): void => {
    if (waiting) {
      waiting.push(packet)
    } else if (packet.cmd === 'subscribe' || packet.cmd === 'unsubscribe') {
      waiting = []
      onWait(true)
      state._parsingBatch++
      handle(packet, () => setImmediate(() => contain(goOn)))
    } else library.call(state._parser, packet)
  }
  const goOn = (): void => {
    const packets = waiting ?? []
    waiting = null
    if (!peer.closed) for (const packet of packets) give(packet)
    if (waiting === null) onWait(false)
    state._nextBatch()
  }
  state._parser.off('packet', library)
  state._parser.on('packet', give)
}

type AnyPacket = SubscribePacket | UnsubscribePacket | { readonly cmd: 'publish' }

/**
 * Subscribes a client. The library would replace a list of several subscriptions by the values of a plain object keyed
 * by filter, which cannot have the key `__proto__`. The list of this packet therefore cannot be replaced, and must have
 * each filter once.
 */
export function subscribe(
  peer: Peer,
  { subscriptions, ...packet }: SubscribePacket,
  done: (error?: Error | null) => void,
): void {
  const whole = Object.defineProperty(packet, 'subscriptions', { get: () => subscriptions, set: () => {} })
  peer.subscribe(whole as SubscribePacket, done)
}

/** Represents the filter `__proto__` in a list that the library restores. No client text contains a line break. */
const PROTO = '\n__proto__'

/** Encodes the subscriptions of an earlier session for the library, which puts them into a plain object too. */
export function toRestored(subscriptions: Subscription[]): Subscription[] {
  return subscriptions.map((each) => (each.topic === '__proto__' ? { ...each, topic: PROTO } : each))
}

/** Decodes a subscription of {@link toRestored}. */
export function ofRestored(subscription: Subscription): Subscription {
  return subscription.topic === PROTO ? { ...subscription, topic: '__proto__' } : subscription
}

/** Removes the library's will timer of a session that ended before it expired. */
export function forgetSession(broker: Aedes, sessionId: string): void {
  ;(broker as Aedes & { clearSessionExpiry(id: string): void }).clearSessionExpiry(sessionId)
}

export function subscriptionsOf(peer: Peer): Internals['subscriptions'] {
  return internals(peer).subscriptions
}

/** Takes the next packet identifier from the library's sequence, for a PUBLISH that bypasses the library. */
export function nextPacketId(peer: Peer): number {
  const { _nextId: id } = internals(peer)
  internals(peer)._nextId = id >= 65_535 ? 1 : id + 1
  return id
}

/** Returns whether the client discards its earlier session. */
export function hasCleanStart(peer: Peer): boolean {
  return internals(peer)._cleanStart
}

/** Returns whether the library drops the session when its connection ends. */
export function endsWithConnection(peer: Peer): boolean {
  return internals(peer).clean
}

/**
 * Makes the library deliver the queued messages of the session. The library still ends the session with its connection.
 */
export function resume(peer: Peer): void {
  internals(peer).clean = false
}

/**
 * Calls the listener with each delayed will that the library discards, and with its connection, which has closed. A will
 * of {@link publishDelayedWill} is not discarded.
 */
export function followDelayedWills(
  broker: Aedes,
  discarded: (peer: Peer, will: PublishPacket) => void,
): void {
  const library = broker as unknown as DelayedWills
  const delayed = new Map<string, { readonly peer: Peer; readonly will: PublishPacket }>()
  const { scheduleWill, clearDelayedWill, publishWill } = library
  library.scheduleWill = (peer, will, delaySeconds) => {
    if (library._takingOver.has(peer.id)) discarded(peer, will)
    scheduleWill.call(library, peer, will, delaySeconds)
    if (library.delayedWills.has(peer.id)) delayed.set(peer.id, { peer, will })
  }
  library.publishWill = (peer, will) => {
    delayed.delete(peer.id)
    publishWill.call(library, peer, will)
  }
  library.clearDelayedWill = (sessionId) => {
    clearDelayedWill.call(library, sessionId)
    const found = delayed.get(sessionId)
    delayed.delete(sessionId)
    if (found) discarded(found.peer, found.will)
  }
}

/** Publishes a will whose delay has not passed, on behalf of the returning client. */
export function publishDelayedWill(broker: Aedes, peer: Peer, will: PublishPacket | undefined): void {
  const library = broker as unknown as DelayedWills
  if (!will || !library.delayedWills.has(peer.id)) return
  // The will is published before its timer ends, so that nothing takes it for discarded.
  library.publishWill(peer, will)
  library.clearDelayedWill(peer.id)
}

/** Cancels the delayed will of a session that continues on another node. */
export function cancelDelayedWill(broker: Aedes, sessionId: string): void {
  ;(broker as unknown as DelayedWills).clearDelayedWill(sessionId)
}

/** Calls the listener before another connection with the same session ends a connection [MQTT-3.1.4-3]. */
export function onTakenOver(peer: Peer, listener: () => void): void {
  const disconnect = peer.disconnect.bind(peer) as (...given: unknown[]) => void
  peer.disconnect = (...given: unknown[]) => {
    const [options] = given as [{ readonly reasonCode?: number } | undefined]
    if (options?.reasonCode === SESSION_TAKEN_OVER) listener()
    disconnect(...given)
  }
}

/** Makes the library drop the will of an open connection. Returns the will; null without one. */
export function discardWill(peer: Peer): PublishPacket | null {
  internals(peer)._disconnected = true
  return internals(peer).will
}

/** Makes a session end with its connection, and cancels its delayed will. */
export function endWithConnection(broker: Aedes, sessionId: string): void {
  const { clients } = broker as unknown as { clients: Record<string, Peer | undefined> }
  const peer = clients[sessionId]
  if (peer) peer.sessionExpiryInterval = 0
  cancelDelayedWill(broker, sessionId)
}

/** Returns whether the client requests reason strings [MQTT-3.1.2-29]. */
export function wantsReasons(peer: Peer): boolean {
  return peer.version >= 5 && internals(peer)._requestProblemInformation
}

/** Returns the keep-alive in seconds. The library waits for one and a half times as long, and a millisecond. */
export function keepAliveOf(peer: Peer): number {
  return Math.round((internals(peer)._keepaliveInterval - 1) / 1_500)
}

/** Restarts the keep-alive for a packet that bypassed the library [MQTT-3.1.2-24]. */
export function resetKeepAlive(peer: Peer): void {
  internals(peer)._keepaliveTimer?.refresh()
}

export function forward(broker: Aedes, packet: PublishPacket, from: Peer): void {
  const publish = broker.publish as (packet: PublishPacket, from: unknown, done: () => void) => void
  publish.call(broker, packet, from, () => {})
}

function internals(peer: Peer): Internals {
  return peer as unknown as Internals
}
