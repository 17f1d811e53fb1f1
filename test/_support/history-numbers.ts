/** Replaces the ids of messages by the numbers of their submits, so that answers of two drivers can be compared. */

import type { AttemptKey } from '../../src/broker/contract/device-lease.ts'
import type { StoreEvent } from '../../src/broker/contract/store.ts'

/** Id of no message. */
const NO_ID = 1_000_000_000
/** Members that hold the id of a message. */
const IDS: readonly string[] = ['id', 'messageId', 'supersededBy', 'resentFrom', 'resentAs', 'newMessageId']
/** Members on which drivers need not agree. */
const OWN: readonly string[] = ['order', 'recorded']
/**
 * Members that may show a slightly later moment: `dueInMs` may count a message whose submit is in progress, and the
 * details of a change may belong to the next change, in the same commit.
 */
const LATE: readonly string[] = ['dueInMs', 'details']

export class SubmitNumbers {
  readonly #isConcurrent: boolean
  readonly #ids: (number | undefined)[] = []
  /** Numbers of the submits, by the id of their message. */
  readonly #numbers = new Map<number, number>()
  /** First numbers of submits that repeated a key, by their number. */
  readonly aliases = new Map<number, number>()

  /** @param isConcurrent true for concurrent calls, of which some members are not compared */
  constructor(isConcurrent: boolean) {
    this.#isConcurrent = isConcurrent
  }

  /** Stores the id of a submit that was stored, or that repeated a key. */
  add(number: number, id: number): void {
    this.#ids[number] = id
    const first = Math.min(number, this.#numbers.get(id) ?? number)
    this.#numbers.set(id, first)
    if (first !== number) this.aliases.set(number, first)
  }

  /** Returns the id of a submit; the id of no message if the submit was refused. */
  idOf(number: number | null): number {
    return (number === null ? undefined : this.#ids[number]) ?? NO_ID
  }

  /** Returns the ids of all messages in the order of their submits. */
  known(): number[] {
    return [...this.#numbers].toSorted(([, a], [, b]) => a - b).map(([id]) => id)
  }

  /** Returns an answer with the numbers of submits instead of ids, in an order that all drivers have. */
  compared(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map((each) => this.compared(each))
      return isTransition(items[0])
        ? (items as { messageId: number }[]).toSorted((a, b) => a.messageId - b.messageId)
        : items
    }
    if (typeof value !== 'object' || value === null) return value
    if ('handedOver' in value && Array.isArray(value.handedOver))
      return {
        ...(this.compared({ ...value, handedOver: null }) as object),
        handedOver: value.handedOver.map((id) => this.#numberOf(id)),
      }
    const members = Object.entries(value)
      .filter(([name, member]) => !OWN.includes(name) && member !== undefined)
      .filter(([name]) => !this.#isConcurrent || !LATE.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        IDS.includes(name) && typeof member === 'number' ? this.#numberOf(member) : this.compared(member),
      ]),
    )
  }

  #numberOf(id: number): number | string {
    const number = this.#numbers.get(id)
    return number === undefined ? `unknown ${id}` : (this.aliases.get(number) ?? number)
  }
}

function isTransition(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'messageId' in value && 'cause' in value
}

/** Returns the attempts that an answer names. */
export function attemptsIn(value: unknown): AttemptKey[] {
  if (typeof value !== 'object' || value === null) return []
  const { id, messageId = id, number, atMs } = value as Partial<AttemptKey> & { readonly id?: number }
  if (messageId !== undefined && number !== undefined && atMs !== undefined)
    return [{ messageId, number, atMs }]
  return Object.values(value).flatMap(attemptsIn)
}

/** Returns an event without its durations, because a late event has its own. */
export function withoutTimes(event: StoreEvent): object {
  if (event.is === 'busy') return { ...event, forMs: event.forMs > 0 }
  if (event.is === 'service') return { ...event, service: event.service !== null }
  if (event.is === 'unfinished') return { ...event, forMs: event.forMs !== null }
  return event
}
