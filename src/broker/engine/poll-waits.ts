/**
 * Holds polls open until a message may be dispatched to their device. The open polls of a device are one connection of
 * the dispatcher with the transport `REST`, so all rules of timing apply to them. Knows no HTTP.
 */
import type { Held, HoldAccess } from '../../auth/held.ts'
import type { MaybePromise } from '../contract/store.ts'
import type { Presence } from '../views/presence.ts'
import type { DispatchedMessage } from '../vocabulary/message.ts'
import { REST } from '../vocabulary/presence.ts'
import type { WaitLimit } from './waits.ts'

export interface WaitedMessage {
  /** Null if no message may be dispatched. */
  readonly message: DispatchedMessage | null
  /** Records whether the whole answer was sent. Null unless the outcome of the message depends on it. */
  readonly onSent: ((sent: boolean) => void) | null
  /** True if the poll did not wait, because too many requests wait. */
  readonly isLimited: boolean
  /** True if the access of the caller has ended. */
  readonly hasEnded: boolean
}

/** Part of the dispatcher that open polls use. */
export interface PollConnections {
  attach(deviceId: string, transport: string): void
  detach(deviceId: string, transport: string): void
  /** Resolves when the dispatcher has determined whether a message may be dispatched to the device now. */
  decided(deviceId: string): Promise<void>
}

export interface PollWaitsOptions {
  readonly connections: PollConnections
  readonly presence: Pick<Presence, 'connected' | 'disconnected' | 'polled'>
  readonly limit: WaitLimit
}

export class PollWaits {
  readonly #options: PollWaitsOptions
  /** Open polls by device, the oldest first. A device without open polls has no entry. */
  readonly #polls = new Map<string, Set<OpenPoll>>()
  /** Numbers of the polls with a place, by device. */
  readonly #places = new Map<string, number>()

  constructor(options: PollWaitsOptions) {
    this.#options = options
  }

  /**
   * Waits until a message may be dispatched to a device. Never rejects.
   *
   * @param waitMs 0 answers at once, by the same rules
   * @param signal aborts when the peer has left, which ends the wait
   * @param hold registers the wait as a holder of its caller's access
   */
  async wait(
    deviceId: string,
    waitMs: number,
    signal: AbortSignal,
    hold: HoldAccess,
  ): Promise<WaitedMessage> {
    this.#options.presence.polled(deviceId)
    if (signal.aborted) return NOTHING
    const poll = new OpenPoll(deviceId)
    poll.held = hold(() => void this.#end(poll, ENDED))
    try {
      return await this.#wait(poll, waitMs, signal)
    } finally {
      poll.held.release()
    }
  }

  async #wait(poll: OpenPoll, waitMs: number, signal: AbortSignal): Promise<WaitedMessage> {
    const { limit } = this.#options
    const { deviceId } = poll
    if (poll.isOver) return poll.answer
    this.#begin(poll)
    signal.addEventListener('abort', () => void this.#end(poll, NOTHING))
    await this.#decided(poll)
    if (poll.isOver) return poll.answer
    if (waitMs === 0) return this.#end(poll, NOTHING)
    const leave = limit.take(poll.held, waitMs, () => void this.#endWhenDecided(poll))
    if (leave === null) return this.#end(poll, NO_PLACE)
    this.#occupy(deviceId)
    const answer = await poll.answer
    leave()
    this.#vacate(deviceId)
    return answer
  }

  /** Dispatches a message to the open polls of a device with valid access; a NO message only to the first. */
  dispatch(deviceId: string, message: DispatchedMessage): MaybePromise<boolean> {
    const polls = this.#current(deviceId)
    const [first] = polls
    if (!first) return false
    if (message.guarantee !== 'NO') {
      for (const poll of polls) void this.#end(poll, { ...NOTHING, message })
      return true
    }
    return new Promise((onSent) => void this.#end(first, { ...NOTHING, message, onSent }))
  }

  /** Returns the open polls of a device with valid access, the oldest first. Ends the others. */
  #current(deviceId: string): OpenPoll[] {
    const polls = [...(this.#polls.get(deviceId) ?? [])]
    for (const poll of polls) if (!poll.held.holds()) void this.#end(poll, ENDED)
    return polls.filter(({ isOver }) => !isOver)
  }

  /** Ends the open polls of a device when another node dispatches to it. Each device polls again. */
  disconnect(deviceId: string): void {
    for (const poll of this.#polls.get(deviceId) ?? []) void this.#end(poll, NOTHING)
  }

  disconnectAll(): void {
    for (const deviceId of [...this.#polls.keys()]) this.disconnect(deviceId)
  }

  #begin(poll: OpenPoll): void {
    const { deviceId } = poll
    const polls = this.#polls.get(deviceId)
    if (polls) polls.add(poll)
    else {
      this.#polls.set(deviceId, new Set([poll]))
      this.#options.connections.attach(deviceId, REST)
    }
  }

  /** Resolves when the poll is over, or no message may be dispatched now. */
  async #decided(poll: OpenPoll): Promise<void> {
    await Promise.race([poll.answer, this.#options.connections.decided(poll.deviceId)])
  }

  /** Ends a poll after a running dispatch, whose NO message would be lost without the poll. */
  async #endWhenDecided(poll: OpenPoll): Promise<void> {
    await this.#decided(poll)
    void this.#end(poll, NOTHING)
  }

  /** Ends a poll, unless it is over. Without further polls the device then has no connection. */
  #end(poll: OpenPoll, answer: WaitedMessage): Promise<WaitedMessage> {
    const { deviceId } = poll
    if (poll.isOver) return poll.answer
    poll.end(answer)
    const polls = this.#polls.get(deviceId)
    if (polls?.delete(poll) && polls.size === 0) {
      this.#polls.delete(deviceId)
      this.#options.connections.detach(deviceId, REST)
    }
    return poll.answer
  }

  #occupy(deviceId: string): void {
    const places = this.#places.get(deviceId) ?? 0
    this.#places.set(deviceId, places + 1)
    if (places === 0) this.#options.presence.connected(deviceId, REST)
  }

  #vacate(deviceId: string): void {
    const places = (this.#places.get(deviceId) as number) - 1
    if (places > 0) {
      this.#places.set(deviceId, places)
      return
    }
    this.#places.delete(deviceId)
    this.#options.presence.disconnected(deviceId, REST)
  }
}

const NOTHING: WaitedMessage = { message: null, onSent: null, isLimited: false, hasEnded: false }
const NO_PLACE: WaitedMessage = { ...NOTHING, isLimited: true }
const ENDED: WaitedMessage = { ...NOTHING, hasEnded: true }

class OpenPoll {
  readonly deviceId: string
  /** Resolves when the poll is over. */
  readonly answer: Promise<WaitedMessage>
  /** Access of the caller. It is set before anything except the poll itself can end the poll. */
  held!: Held
  isOver = false
  #resolve!: (answer: WaitedMessage) => void

  constructor(deviceId: string) {
    this.deviceId = deviceId
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  end(answer: WaitedMessage): void {
    this.isOver = true
    this.#resolve(answer)
  }
}
