/** Holds requests of producers open until the status of a message changes. Does not read the store itself. */
import type { HoldAccess } from '../../auth/held.ts'
import type { Transitioned } from '../contract/store.ts'
import type { Broker } from './broker.ts'
import type { WaitLimit } from './waits.ts'

export interface StatusWaitsOptions {
  readonly broker: Pick<Broker, 'onChange'>
  readonly limit: WaitLimit
}

/** Request of a producer that may wait. */
export interface StatusRequest<Answer> {
  readonly messageId: number
  /** 0 answers at once. */
  readonly waitMs: number
  /** Aborts when the peer has left, which ends the wait. */
  readonly signal: AbortSignal
  /** Registers the wait as a holder of its caller's access. */
  readonly hold: HoldAccess
  /** Reads the current answer. Its errors end the wait. */
  readonly read: () => Promise<Answer>
  /** Returns whether an answer is the one that the producer waits for. */
  readonly isAwaited: (answer: Answer) => boolean
}

export interface WaitedStatus<Answer> {
  readonly answer: Answer
  /** True if the request did not wait, because too many requests wait. */
  readonly isLimited: boolean
  /** True if the access of the caller has ended. The answer was read earlier. */
  readonly hasEnded: boolean
}

export class StatusWaits {
  readonly #options: StatusWaitsOptions
  /** Open requests by message. A message without open requests has no entry. */
  readonly #waits = new Map<number, Set<StatusWait>>()
  #unsubscribe: (() => void) | null = null

  constructor(options: StatusWaitsOptions) {
    this.#options = options
  }

  /** Answers a request, at the latest when its time is over. */
  async answer<Answer>(request: StatusRequest<Answer>): Promise<WaitedStatus<Answer>> {
    if (request.waitMs === 0) return { answer: await request.read(), isLimited: false, hasEnded: false }
    // The subscription begins before the first read, so that no change between the two is missed.
    const wait = this.#begin(request.messageId)
    try {
      return await this.#await(request, wait)
    } finally {
      this.#end(request.messageId, wait)
    }
  }

  async #await<Answer>(request: StatusRequest<Answer>, wait: StatusWait): Promise<WaitedStatus<Answer>> {
    const { waitMs, signal, read, isAwaited, hold } = request
    let answer = await read()
    if (isAwaited(answer) || signal.aborted) return { answer, isLimited: false, hasEnded: false }
    const held = hold(
      () => wait.end(),
      // The next read determines whether the caller may still see the message.
      () => wait.wake(),
    )
    const leave = this.#options.limit.take(held, waitMs, () => wait.end())
    try {
      if (leave === null) return { answer, isLimited: true, hasEnded: !held.holds() }
      signal.addEventListener('abort', () => wait.end())
      while (!isAwaited(answer) && !wait.isOver) {
        await wait.change()
        if (held.holds()) answer = await read()
      }
      return { answer, isLimited: false, hasEnded: !held.holds() }
    } finally {
      held.release()
      leave?.()
    }
  }

  #begin(messageId: number): StatusWait {
    const wait = new StatusWait()
    const waits = this.#waits.get(messageId)
    if (waits) waits.add(wait)
    else this.#waits.set(messageId, new Set([wait]))
    this.#unsubscribe ??= this.#options.broker.onChange((change) => this.#changed(change))
    return wait
  }

  #end(messageId: number, wait: StatusWait): void {
    const waits = this.#waits.get(messageId) as Set<StatusWait>
    waits.delete(wait)
    if (waits.size > 0) return
    this.#waits.delete(messageId)
    if (this.#waits.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  #changed({ messageId }: Transitioned): void {
    for (const wait of this.#waits.get(messageId) ?? []) wait.wake()
  }
}

/** One open request. It remembers a change that happens while the status is read. */
class StatusWait {
  isOver = false
  #hasChanged = false
  #resolve: (() => void) | null = null

  /** Resolves at the next change since the last call, or at the end. */
  async change(): Promise<void> {
    if (!this.#hasChanged && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve
      })
    }
    this.#hasChanged = false
  }

  wake(): void {
    this.#hasChanged = true
    this.#resolve?.()
  }

  end(): void {
    this.isOver = true
    this.#resolve?.()
  }
}
