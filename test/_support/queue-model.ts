/** Model of one device: its queue, its attempts and its deadlines, written without the product's code. */

export interface SentMessage {
  readonly id: number
  readonly command: string
  readonly believerGuarantee: string
  readonly data: object
}

export interface ModelTerms {
  readonly validSeconds?: number
  readonly finishSeconds?: number
  readonly delaySeconds?: number
  readonly maxAttempts?: number
}

interface ModelReport {
  readonly result?: unknown
  readonly reason?: string
}

export class ModelMessage {
  readonly sent: SentMessage
  readonly terms: ModelTerms
  readonly dueAtMs: number
  readonly expiresAtMs: number
  status = 'NOT_DELIVERED'
  cause = 'STORED'
  attempts = 0
  /** Attempts since the latest replay, excluding those that a pause ended. */
  counted = 0
  attemptsBeforeReplay = 0
  isLastBusy = false
  /** End of the open attempt; null without one. */
  attemptEndMs: number | null = null
  /** True when an attempt ended without an acknowledgement. */
  deliveredError = false
  finishAtMs = Number.POSITIVE_INFINITY
  result: unknown = null
  reason: string | null = null
  lateStatus: string | null = null
  repeats = 0
  /** True if a kill may have lost the record of the first attempt, made by a poll. */
  isUncertain = false

  constructor(sent: SentMessage, terms: ModelTerms, nowMs: number) {
    this.sent = sent
    this.terms = terms
    this.dueAtMs = nowMs + (terms.delaySeconds ?? 0) * 1000
    this.expiresAtMs = nowMs + (terms.validSeconds ?? Number.POSITIVE_INFINITY) * 1000
  }

  /** True for a NO message that its device acknowledged without a dispatch. The server shows it as handed over. */
  get isShownAsHandedOver(): boolean {
    return this.sent.believerGuarantee === 'NO' && this.attempts === 0 && this.status !== 'NOT_DELIVERED'
  }

  /** Adopts the number of attempts that remained after a kill. */
  adopt(attempts: number): void {
    this.isUncertain = false
    if (attempts > 0) return
    this.attempts = 0
    this.counted = 0
    this.attemptEndMs = null
  }

  become(status: string, cause: string): void {
    this.status = status
    this.cause = cause
    this.attemptEndMs = null
    this.finishAtMs = Number.POSITIVE_INFINITY
  }
}

const FINAL = ['COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED']
const DEAF_PARKS = 3

export class QueueModel {
  readonly messages: ModelMessage[] = []
  readonly keys = new Map<string, { readonly content: string; readonly message: ModelMessage }>()
  readonly #now: () => number
  readonly #attemptMs: number
  readonly #maxAttempts: number
  #busyUntilMs = 0
  #parks = 0

  constructor(now: () => number, attemptMs: number, maxAttempts: number) {
    this.#now = now
    this.#attemptMs = attemptMs
    this.#maxAttempts = maxAttempts
  }

  get pending(): ModelMessage[] {
    return this.messages.filter(({ status }) => status === 'NOT_DELIVERED')
  }

  get #isDeaf(): boolean {
    return this.#parks >= DEAF_PARKS
  }

  /** Returns the answer to a submit that names a message in `replaces`. */
  mayReplace({ status, attempts }: ModelMessage): boolean {
    return status === 'CANCELLED' || (status === 'NOT_DELIVERED' && attempts === 0)
  }

  send(sent: SentMessage, terms: ModelTerms, replaced: ModelMessage | null): ModelMessage {
    const isSuperseded = (each: ModelMessage): boolean =>
      each === replaced || (sent.believerGuarantee === 'ONLY_LAST' && each.sent.command === sent.command)
    for (const each of this.pending.filter(isSuperseded)) each.become('CANCELLED', 'SUPERSEDED')
    const message = new ModelMessage(sent, terms, this.#now())
    this.messages.push(message)
    return message
  }

  poll(): number[] {
    if (this.#busyUntilMs > this.#now()) return []
    const nowMs = this.#now()
    const isDispatchable = (each: ModelMessage) => each.dueAtMs <= nowMs && nowMs < each.expiresAtMs
    const message =
      this.pending.find((each) => each.attemptEndMs !== null) ?? this.pending.find(isDispatchable)
    if (!message || !isDispatchable(message)) return []
    if (message.attemptEndMs === null) this.#dispatch(message)
    return [message.sent.id]
  }

  #isLastAttempt({ counted, terms: { maxAttempts } }: ModelMessage): boolean {
    if (maxAttempts !== undefined) return counted >= maxAttempts
    return this.#maxAttempts > 0 && !this.#isDeaf && counted >= this.#maxAttempts
  }

  #park(message: ModelMessage): void {
    message.become('UNKNOWN', 'NOT_ACKNOWLEDGED')
    if (message.terms.maxAttempts === undefined) this.#parks++
  }

  #dispatch(message: ModelMessage): void {
    const { attempts, attemptsBeforeReplay, terms } = message
    const repeats = this.#isDeaf && terms.maxAttempts === undefined && attempts > attemptsBeforeReplay
    if (!repeats) message.attempts++
    if (!repeats || message.isLastBusy) message.counted++
    message.isLastBusy = false
    const multiple = this.#isDeaf ? 5 : Math.min(message.counted, 5)
    message.attemptEndMs = this.#now() + multiple * this.#attemptMs
    if (message.sent.believerGuarantee === 'NO') message.become('DELIVERED', 'HANDED_OVER')
  }

  acknowledge(
    message: ModelMessage,
    status: string,
    report: ModelReport = {},
  ): { code: number; status: string } {
    this.#parks = 0
    const before = message.status
    if (FINAL.includes(before)) {
      const isOther = status !== before && status !== 'DELIVERED'
      const keepsFinal = status === 'DELIVERED' && FINAL.includes(message.lateStatus ?? '')
      if ((isOther || before === 'CANCELLED') && !keepsFinal) message.lateStatus = status
      return { code: isOther ? 409 : 200, status: before }
    }
    const isKnown = before === 'DELIVERED' || message.cause === 'NOT_FINISHED'
    if (status === 'DELIVERED' && isKnown) return { code: 200, status: before }
    message.become(status, 'ACKNOWLEDGED')
    message.result = report.result ?? message.result
    message.reason = report.reason ?? message.reason
    if (status === 'DELIVERED' && message.terms.finishSeconds !== undefined)
      message.finishAtMs = this.#now() + message.terms.finishSeconds * 1000
    return { code: 200, status }
  }

  /** Returns whether the message is CANCELLED afterwards. */
  cancel(message: ModelMessage, force: boolean): boolean {
    const isCancelled = message.status === 'NOT_DELIVERED' && (force || message.attempts === 0)
    if (isCancelled) message.become('CANCELLED', 'CANCELLED')
    return message.status === 'CANCELLED'
  }

  cancelAll(command: string | undefined, force: boolean): { cancelled: number[]; handedOver: number[] } {
    const chosen = this.pending.filter(({ sent }) => command === undefined || sent.command === command)
    const idsOf = (some: ModelMessage[]): number[] => some.map(({ sent }) => sent.id)
    return {
      handedOver: idsOf(chosen.filter(({ attempts }) => attempts > 0)),
      cancelled: idsOf(chosen.filter((each) => this.cancel(each, force))),
    }
  }

  /** Returns the error of the replay; null when it succeeds. */
  replay(message: ModelMessage): 'not-unknown' | 'expired' | null {
    if (message.status !== 'UNKNOWN' || message.sent.believerGuarantee === 'NO') return 'not-unknown'
    if (message.expiresAtMs <= this.#now()) return 'expired'
    message.become('NOT_DELIVERED', 'REPLAYED')
    message.counted = 0
    message.attemptsBeforeReplay = message.attempts
    message.isLastBusy = false
    return null
  }

  setBusy(seconds: number): void {
    this.#busyUntilMs = this.#now() + seconds * 1000
    if (seconds === 0) return
    for (const each of this.pending.filter(({ attemptEndMs }) => attemptEndMs !== null)) {
      each.attemptEndMs = null
      each.counted--
      each.isLastBusy = true
    }
  }

  /** Processes due deadlines, and ends expired attempts. Returns the changed messages. */
  expire(): ModelMessage[] {
    const nowMs = this.#now()
    const unfinished = this.messages.filter((each) => each.finishAtMs <= nowMs)
    const expired = this.pending.filter(
      ({ expiresAtMs, attemptEndMs }) => expiresAtMs <= nowMs && (attemptEndMs ?? nowMs) <= nowMs,
    )
    const isOver = ({ attemptEndMs }: ModelMessage) => attemptEndMs !== null && attemptEndMs <= nowMs
    const over = this.pending.filter(isOver)
    for (const each of over) each.deliveredError = true
    for (const each of unfinished) each.become('UNKNOWN', 'NOT_FINISHED')
    for (const each of expired) each.become(each.attempts > 0 ? 'UNKNOWN' : 'CANCELLED', 'EXPIRED')
    for (const each of over.filter(isOver)) {
      each.attemptEndMs = null
      if (this.#isLastAttempt(each)) this.#park(each)
    }
    return [...unfinished, ...expired, ...over]
  }

  /** The server was stopped or killed. */
  restarted(isKilled: boolean): void {
    this.#parks = 0
    if (isKilled) for (const each of this.messages) each.isUncertain = each.attempts === 1
  }
}
