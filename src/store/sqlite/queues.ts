/**
 * Which messages wait for which device, oldest first: in memory, since an index on disk would touch another page for
 * each message. Knows no SQL.
 */
export class Queues {
  readonly #queues = new Map<string, Queue>()
  /** Messages that are about to leave their queues, as soon as that is on disk. */
  readonly #leaving = new Set<number>()
  readonly #crowdedFrom: number
  /** The devices of queues that are so long, in the order in which they came to be. */
  readonly #crowded = new Set<string>()
  #waiting = 0

  /** @param crowdedFrom messages from which a queue is told by {@link crowded} */
  constructor(crowdedFrom = Number.POSITIVE_INFINITY) {
    this.#crowdedFrom = crowdedFrom
  }

  /** Messages in all queues. */
  get waiting(): number {
    return this.#waiting
  }

  /** Devices of long queues, at most so many. */
  crowded(limit: number): string[] {
    const found: string[] = []
    for (const deviceId of this.#crowded) {
      if (found.length === limit) break
      found.push(deviceId)
    }
    return found
  }

  /**
   * @param id greater than any before
   * @param limit messages from which the queue takes no more
   * @returns how many wait then; null: it did not take this one
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

  /** Does nothing when it does not wait. */
  remove(deviceId: string, id: number): void {
    const queue = this.#queues.get(deviceId)
    if (!queue?.remove(id)) return
    this.#waiting--
    if (queue.size === this.#crowdedFrom - 1) this.#crowded.delete(deviceId)
    if (queue.size === 0) this.#queues.delete(deviceId)
  }

  /**
   * Says that a message which waits is about to leave: it counts, but nobody is given it.
   *
   * @returns false when it does not wait, or that was said before
   */
  leave(deviceId: string, id: number): boolean {
    if (this.#leaving.has(id) || !this.#queues.get(deviceId)?.has(id)) return false
    this.#leaving.add(id)
    return true
  }

  /** The end of what `leave` began; where the message was not removed, it is given to its device again. */
  left(id: number): void {
    this.#leaving.delete(id)
  }

  /** Notes that a message is given to its device. @returns false when it does not wait any more */
  handOut(deviceId: string, id: number): boolean {
    return !this.#leaving.has(id) && (this.#queues.get(deviceId)?.handOut(id) ?? false)
  }

  /** Whether this is the first poll, as far as is known here, that gets the message. */
  firstPoll(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue || queue.polled === id) return false
    queue.polled = id
    return true
  }

  /** Takes out a message that nobody was given yet. @returns whether it could be */
  withdraw(deviceId: string, id: number): boolean {
    const queue = this.#queues.get(deviceId)
    if (!queue?.has(id) || queue.handedOut === id || this.#leaving.has(id)) return false
    this.remove(deviceId, id)
    return true
  }

  /** Puts back, in its old place, what was withdrawn. */
  restore(deviceId: string, id: number, command: string): void {
    const queue = this.#queues.get(deviceId)
    if (queue) {
      queue.restore(id, command)
      this.#grown(deviceId, queue.size)
    } else this.add(deviceId, id, command)
  }

  #grown(deviceId: string, size: number): void {
    this.#waiting++
    if (size === this.#crowdedFrom) this.#crowded.add(deviceId)
  }

  size(deviceId: string): number {
    return this.#queues.get(deviceId)?.size ?? 0
  }

  oldest(deviceId: string): number | null {
    return this.#queues.get(deviceId)?.oldest(this.#leaving) ?? null
  }

  withCommand(deviceId: string, command: string): readonly number[] {
    return this.#queues.get(deviceId)?.withCommand(command) ?? []
  }
}

/** Entries that a queue may hold for messages that are gone, beyond as many as there are in it. */
const SLACK = 64

class Queue {
  size = 1
  /** The message that the device was last given. */
  handedOut: number | null = null
  /** The message that a poll last got. */
  polled: number | null = null
  /** Ascending; negative where the message does not wait any more. */
  #ids: number[]
  #commands: string[]
  /** Nothing before it waits. */
  #head = 0
  /** For commands that were asked for; may hold some that do not wait any more. */
  #byCommand: Map<string, number[]> | null = null

  constructor(id: number, command: string) {
    // Literals, for arrays of just this length: most queues of a million are this short.
    this.#ids = [id]
    this.#commands = [command]
  }

  add(id: number, command: string): void {
    this.#ids.push(id)
    // Not another copy of the text, which most often is the same again.
    const last = this.#commands[this.#commands.length - 1]
    this.#commands.push(command === last ? last : command)
    this.#byCommand?.get(command)?.push(id)
    this.size++
  }

  /** @returns false when it did not wait */
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

  handOut(id: number): boolean {
    if (!this.has(id)) return false
    this.handedOut = id
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

  oldest(leaving: ReadonlySet<number>): number | null {
    while ((this.#ids[this.#head] ?? 1) < 0) this.#head++
    let at = this.#head
    for (let id = this.#ids[at]; id !== undefined; id = this.#ids[++at]) {
      if (id > 0 && !leaving.has(id)) return id
    }
    return null
  }

  withCommand(command: string): readonly number[] {
    this.#byCommand ??= new Map()
    const known = this.#byCommand.get(command)
    const waiting = known
      ? known.filter((id) => this.#find(id) !== null)
      : this.#ids.filter((id, at) => id > 0 && this.#commands[at] === command)
    this.#byCommand.set(command, [...waiting])
    return waiting
  }

  /** By bisection. */
  #find(id: number): number | null {
    let low = this.#head
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
    const waits = (_: unknown, at: number): boolean => (this.#ids[at] as number) > 0
    this.#commands = this.#commands.filter(waits)
    this.#ids = this.#ids.filter(waits)
    this.#head = 0
  }
}
