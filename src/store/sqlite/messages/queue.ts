/** Queue of one device: its pending messages in memory, oldest first. Knows no SQL. */

import type { QueueLimits } from '../../../broker/contract/store.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { DelayedEntries, type DelayedEntry } from './delayed-entries.ts'
import type { TermsOfPending } from './pending-terms.ts'
import type { QueuedAttempt } from './queued-attempt.ts'

/** Number of removed entries, beyond its size, at which a queue is compacted. */
const SLACK = 64

export class Queue {
  /** Number of entries, including delayed ones. */
  size = 0
  bytes = 0
  limits: QueueLimits
  isNearlyFull = false
  /** Newest message known to have no attempt on disk. */
  unattemptedId = 0
  /** Ids in ascending order. The id of a removed message is negative. */
  #ids: number[]
  #commands: string[]
  #bytes: number[]
  /** Index before which every entry is removed. */
  #start = 0
  /** Ids by command, for the commands passed to {@link withCommand}. May contain removed ids. */
  #byCommand: Map<string, number[]> | null = null
  #delayed: DelayedEntries | null = null
  /** Latest attempt of the message with attempts; usually there is only one such message. */
  #latest: QueuedAttempt | null = null
  /** Latest attempts of all other messages with attempts. */
  #otherLatest: Map<number, QueuedAttempt> | null = null

  /** @param id id of the first entry; null for an empty queue */
  constructor(limits: QueueLimits, id: number | null, command: string, bytes: number) {
    this.limits = limits
    // An array literal allocates exactly one element. Of a million queues, most are this short.
    this.#ids = id === null ? [] : [id]
    this.#commands = id === null ? [] : [command]
    this.#bytes = id === null ? [] : [bytes]
    if (id !== null) this.#grow(bytes)
  }

  add(id: number, command: string, bytes: number): void {
    this.#ids.push(id)
    // Usually the command repeats the previous one. The queue then keeps one copy of the text.
    const last = this.#commands[this.#commands.length - 1]
    this.#commands.push(command === last ? last : command)
    this.#bytes.push(bytes)
    this.#byCommand?.get(command)?.push(id)
    this.#grow(bytes)
  }

  addDelayed(entry: DelayedEntry): void {
    this.#delayed ??= new DelayedEntries()
    this.#delayed.add(entry)
    this.#byCommand?.get(entry.command)?.push(entry.id)
    this.#grow(entry.bytes)
  }

  /** Inserts an entry that is not delayed, in the order of the ids. */
  insert(id: number, command: string, bytes: number): void {
    this.#merge([{ id, command, bytes }])
    this.#byCommand = null
    this.#grow(bytes)
  }

  /** Adds a delayed entry whose id may be smaller than earlier ones. */
  insertDelayed(entry: DelayedEntry): void {
    this.addDelayed(entry)
    this.#byCommand = null
  }

  #grow(bytes: number): void {
    this.size++
    this.bytes += bytes
  }

  /** Removes an entry. Returns false for an unknown entry. */
  remove(id: number): boolean {
    const at = this.#find(id)
    const bytes = at === null ? this.#delayed?.get(id)?.bytes : this.#bytes[at]
    if (bytes === undefined) return false
    if (at === null) this.#delayed?.delete(id)
    else this.#ids[at] = -id
    this.size--
    this.bytes -= bytes
    if (this.#latest?.id === id) this.#latest = null
    this.#otherLatest?.delete(id)
    if (this.#ids.length > 2 * this.size + SLACK) this.#merge([])
    return true
  }

  has(id: number): boolean {
    return this.bytesOf(id) !== null
  }

  /** Returns the size of a message; null for an unknown entry. */
  bytesOf(id: number): number | null {
    const at = this.#find(id)
    if (at !== null) return this.#bytes[at] as number
    return this.#delayed?.get(id)?.bytes ?? null
  }

  /** Returns the oldest entry that is not settling, including delayed entries. */
  oldest(settling: ReadonlySet<number>): number | null {
    const front = this.front(settling)
    for (const { id } of this.#delayed?.values() ?? [])
      if (!settling.has(id)) return Math.min(id, front ?? id)
    return front
  }

  /** Returns the oldest entry that is neither settling nor delayed, whatever its validity. */
  front(settling: ReadonlySet<number>): number | null {
    while ((this.#ids[this.#start] ?? 1) < 0) this.#start++
    let at = this.#start
    for (let id = this.#ids[at]; id !== undefined; id = this.#ids[++at]) {
      if (id > 0 && !settling.has(id)) return id
    }
    return null
  }

  /** Returns the oldest entry that is due, valid and not settling. */
  next(settling: ReadonlySet<number>, terms: TermsOfPending, clock: Clock): number | null {
    this.#undelay(clock)
    const front = this.front(settling)
    const nowMs = clock.wallMs()
    if (front === null || terms.isValid(front, nowMs)) return front
    for (let at = this.#start; at < this.#ids.length; at++) {
      const id = this.#ids[at] as number
      if (id > front && !settling.has(id) && terms.isValid(id, nowMs)) return id
    }
    return null
  }

  /** Returns the number of delayed entries that are not due. */
  delayed(clock: Clock): number {
    this.#undelay(clock)
    return this.#delayed?.size ?? 0
  }

  /** Moves the entries that are now due into the order of their ids. */
  #undelay(clock: Clock): void {
    const due = this.#delayed?.takeDue(clock)
    if (due && due.length > 0) this.#merge(due)
  }

  /** Returns the time until the next delayed entry is due; null without one. */
  nextDueInMs(clock: Clock): number | null {
    return this.#delayed?.nextDueInMs(clock) ?? null
  }

  /** Returns the ids of the entries, including delayed ones, in ascending order. */
  ids(): number[] {
    const ids = this.#ids.filter((id) => id > 0)
    if (!this.#delayed?.size) return ids
    for (const { id } of this.#delayed.values()) ids.push(id)
    return ids.sort((a, b) => a - b)
  }

  /** Returns the ids of the entries with a command, including delayed ones, in ascending order. */
  withCommand(command: string): readonly number[] {
    this.#byCommand ??= new Map()
    const known = this.#byCommand.get(command)
    const pending = known ? known.filter((id) => this.has(id)) : this.#findCommand(command)
    this.#byCommand.set(command, [...pending])
    return pending
  }

  #findCommand(command: string): number[] {
    const ids = this.#ids.filter((id, at) => id > 0 && this.#commands[at] === command)
    if (!this.#delayed?.size) return ids
    for (const entry of this.#delayed.values()) if (entry.command === command) ids.push(entry.id)
    return ids.sort((a, b) => a - b)
  }

  /** Returns the number of entries per command, including delayed ones, among the oldest entries. */
  commands(limit: number): Map<string, number> {
    const counts = new Map<string, number>()
    let left = limit
    for (let at = this.#start; at < this.#ids.length && left > 0; at++) {
      if ((this.#ids[at] as number) < 0) continue
      left--
      const command = this.#commands[at] as string
      counts.set(command, (counts.get(command) ?? 0) + 1)
    }
    for (const { command } of this.#delayed?.values() ?? []) {
      if (left-- <= 0) break
      counts.set(command, (counts.get(command) ?? 0) + 1)
    }
    return counts
  }

  latest(id: number): QueuedAttempt | null {
    if (this.#latest?.id === id) return this.#latest
    return this.#otherLatest?.get(id) ?? null
  }

  setLatest(attempt: QueuedAttempt): void {
    if (this.#latest === null || this.#latest.id === attempt.id) {
      this.#otherLatest?.delete(attempt.id)
      this.#latest = attempt
      return
    }
    this.#otherLatest ??= new Map()
    this.#otherLatest.set(attempt.id, attempt)
  }

  /** Returns the latest attempt of the oldest message that is not settling and whose latest attempt has an outcome. */
  oldestLatest(outcome: QueuedAttempt['outcome'], settling: ReadonlySet<number>): QueuedAttempt | null {
    let found = this.#latest
    if (found !== null && (found.outcome !== outcome || settling.has(found.id))) found = null
    if (this.#otherLatest === null) return found
    for (const each of this.#otherLatest.values()) {
      const isOlder = found === null || each.id < found.id
      if (isOlder && each.outcome === outcome && !settling.has(each.id)) found = each
    }
    return found
  }

  /** Finds the index of an entry by bisection; null if it is unknown or delayed. */
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

  /** Drops the removed entries, and adds entries, which are in the order of their ids. */
  #merge(added: readonly Pick<DelayedEntry, 'id' | 'command' | 'bytes'>[]): void {
    const [ids, commands, bytes] = [this.#ids, this.#commands, this.#bytes]
    this.#ids = []
    this.#commands = []
    this.#bytes = []
    let next = 0
    const push = (id: number, command: string, size: number): void => {
      this.#ids.push(id)
      this.#commands.push(command)
      this.#bytes.push(size)
    }
    for (const [at, id] of ids.entries()) {
      if (id < 0) continue
      for (let each = added[next]; each && each.id < id; each = added[++next])
        push(each.id, each.command, each.bytes)
      push(id, commands[at] as string, bytes[at] as number)
    }
    for (const each of added.slice(next)) push(each.id, each.command, each.bytes)
    this.#start = 0
  }
}
