/**
 * Keeps the pending messages of each device in memory, oldest first. An index on disk would touch another page for each
 * message. Knows no SQL and no clock.
 */

/*
 * The states of an entry:
 *
 *   pending ──► dispatched ──► settling ──► gone
 *      │             ▲             │
 *      │             └─ refused ───┘     the disk refused the change
 *      └──► withdrawn ──► gone
 *      ▲        │
 *      └ restored                        the disk refused the cancellation
 *
 * A dispatched entry was returned by a poll or sent to a connection, and cannot be withdrawn. A settling entry still
 * counts for the limit, but is no head, since the change that removes it is being written.
 */

/** A dispatch over a connection whose acknowledgement is awaited. */
export interface RunningAttempt {
  readonly messageId: number
  /** End of the attempt on the monotonic clock, in milliseconds. */
  readonly untilMs: number
}

/** Holds one queue for each device with pending messages. */
export class Queues {
  readonly #queues = new Map<string, Queue>()
  readonly #settling = new Set<number>()
  readonly #nearlyFullFrom: number
  /** The devices whose queues are nearly full, in the order in which they became so. */
  readonly #nearlyFull = new Set<string>()
  #pending = 0

  /** @param nearlyFullFrom length from which {@link nearlyFull} returns a queue */
  constructor(nearlyFullFrom = Number.POSITIVE_INFINITY) {
    this.#nearlyFullFrom = nearlyFullFrom
  }

  /** Number of messages in all queues. */
  get pending(): number {
    return this.#pending
  }

  /** Returns at most `limit` devices whose queues are nearly full. */
  nearlyFull(limit: number): string[] {
    const found: string[] = []
    for (const deviceId of this.#nearlyFull) {
      if (found.length === limit) break
      found.push(deviceId)
    }
    return found
  }

  /**
   * Adds an entry at the end of a queue.
   *
   * @param id greater than every earlier id
   * @param limit length from which the queue is full
   * @returns the new length of the queue; null when the queue is full
   */
  add(deviceId: string, id: number, command: string, limit = Number.POSITIVE_INFINITY): number | null {
    const queue = this.#queues.get(deviceId)
    if ((queue?.size ?? 0) >= limit) return null
    if (queue) queue.add(id, command)
    else this.#queues.set(deviceId, new Queue(id, command))
    const size = queue?.size ?? 1
    this.#grown(deviceId, size)
    return size
  }

  /** Removes an entry. Returns false when there was none. */
  remove(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue?.remove(id)) return false
    this.#pending--
    if (queue.size === this.#nearlyFullFrom - 1) this.#nearlyFull.delete(deviceId)
    if (queue.size === 0) this.#queues.delete(deviceId)
    return true
  }

  /** Makes an entry settling. Returns false when there is no entry, or it is settling already. */
  beginSettling(deviceId: string, id: number): boolean {
    if (this.#settling.has(id) || !this.#queues.get(deviceId)?.has(id)) return false
    this.#settling.add(id)
    return true
  }

  /** Ends the settling state. An entry that was not removed may be the head again. */
  endSettling(id: number): void {
    this.#settling.delete(id)
  }

  /** Makes an entry dispatched. Returns false when there is no entry, or it is settling. */
  markDispatched(deviceId: string, id: number): boolean {
    return !this.#settling.has(id) && (this.#queues.get(deviceId)?.markDispatched(id) ?? false)
  }

  /** Records that a poll returned an entry. Returns false when the poll before returned the same one. */
  markPolled(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue || queue.polled === id) return false
    queue.polled = id
    return true
  }

  /** Begins an attempt with a dispatched entry. */
  beginAttempt(deviceId: string, attempt: RunningAttempt): void {
    const queue = this.#queues.get(deviceId)
    if (queue) queue.attempt = attempt
  }

  /** Ends the attempt with a message, if that one runs. */
  endAttempt(deviceId: string, messageId: number): void {
    const queue = this.#queues.get(deviceId)
    if (queue?.attempt?.messageId === messageId) queue.attempt = null
  }

  /** Returns the latest attempt of a device, if its message is neither gone nor settling. */
  attempt(deviceId: string): RunningAttempt | null {
    const queue = this.#queues.get(deviceId)
    const attempt = queue?.attempt
    if (!attempt || this.#settling.has(attempt.messageId) || !queue.has(attempt.messageId)) return null
    return attempt
  }

  /** Removes an entry that is pending. Returns false when it is dispatched, settling or absent. */
  withdraw(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue?.has(id) || queue.dispatched === id || this.#settling.has(id)) return false
    return this.remove(deviceId, id)
  }

  /** Puts a withdrawn entry back in its old place. */
  restore(deviceId: string, id: number, command: string): void {
    const queue = this.#queues.get(deviceId)
    if (queue) {
      queue.restore(id, command)
      this.#grown(deviceId, queue.size)
    } else this.add(deviceId, id, command)
  }

  #grown(deviceId: string, size: number): void {
    this.#pending++
    if (size === this.#nearlyFullFrom) this.#nearlyFull.add(deviceId)
  }

  /** Returns whether a queue has an entry, in any state. */
  has(deviceId: string, id: number): boolean {
    return this.#queues.get(deviceId)?.has(id) ?? false
  }

  /** Returns the number of entries of a queue, in any state. */
  size(deviceId: string): number {
    return this.#queues.get(deviceId)?.size ?? 0
  }

  /** Returns the oldest entry that is not settling. */
  head(deviceId: string): number | null {
    return this.#queues.get(deviceId)?.head(this.#settling) ?? null
  }

  /** Returns the ids of a queue's entries with a command. */
  withCommand(deviceId: string, command: string): readonly number[] {
    return this.#queues.get(deviceId)?.withCommand(command) ?? []
  }
}

/** Number of removed entries, beyond its size, from which a queue is compacted. */
const SLACK = 64

class Queue {
  size = 1
  /** Id of the latest dispatched message. */
  dispatched: number | null = null
  /** Id of the message that the latest poll returned. */
  polled: number | null = null
  attempt: RunningAttempt | null = null
  /** Ids in ascending order. The id of a removed message is negative. */
  #ids: number[]
  #commands: string[]
  /** Index before which every entry is removed. */
  #start = 0
  /** Ids by command, for the commands that {@link withCommand} was asked for. May contain removed ids. */
  #byCommand: Map<string, number[]> | null = null

  constructor(id: number, command: string) {
    // An array literal allocates exactly one element. Of a million queues, most are this short.
    this.#ids = [id]
    this.#commands = [command]
  }

  add(id: number, command: string): void {
    this.#ids.push(id)
    // Most often the command repeats the one before. The queue then keeps one copy of the text.
    const last = this.#commands[this.#commands.length - 1]
    this.#commands.push(command === last ? last : command)
    this.#byCommand?.get(command)?.push(id)
    this.size++
  }

  /** Removes an entry. Returns false when there was none. */
  remove(id: number): boolean {
    const at = this.#find(id)
    if (at === null) return false
    this.#ids[at] = -id
    this.size--
    if (this.#ids.length > 2 * this.size + SLACK) this.#compact()
    return true
  }

  has(id: number): boolean {
    return this.#find(id) !== null
  }

  markDispatched(id: number): boolean {
    if (!this.has(id)) return false
    this.dispatched = id
    return true
  }

  restore(id: number, command: string): void {
    this.#compact()
    const after = this.#ids.findIndex((each) => each > id)
    const at = after < 0 ? this.#ids.length : after
    this.#ids.splice(at, 0, id)
    this.#commands.splice(at, 0, command)
    this.#byCommand = null
    this.size++
  }

  head(settling: ReadonlySet<number>): number | null {
    while ((this.#ids[this.#start] ?? 1) < 0) this.#start++
    let at = this.#start
    for (let id = this.#ids[at]; id !== undefined; id = this.#ids[++at]) {
      if (id > 0 && !settling.has(id)) return id
    }
    return null
  }

  withCommand(command: string): readonly number[] {
    this.#byCommand ??= new Map()
    const known = this.#byCommand.get(command)
    const pending = known
      ? known.filter((id) => this.#find(id) !== null)
      : this.#ids.filter((id, at) => id > 0 && this.#commands[at] === command)
    this.#byCommand.set(command, [...pending])
    return pending
  }

  /** Finds the index of an entry by bisection; null when there is none. */
  #find(id: number): number | null {
    let low = this.#start
    let high = this.#ids.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.#ids[middle] as number
      if (found === id) return middle
      if (Math.abs(found) < id) low = middle + 1
      else high = middle - 1
    }
    return null
  }

  #compact(): void {
    const isPending = (_: unknown, at: number): boolean => (this.#ids[at] as number) > 0
    this.#commands = this.#commands.filter(isPending)
    this.#ids = this.#ids.filter(isPending)
    this.#start = 0
  }
}
