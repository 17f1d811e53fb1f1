/**
 * Schedules password hashing. Anyone can send logins, so they are bounded, and addresses take turns. The latest login
 * of an address is checked first, because the client of the oldest has most likely given up. Logged-in clients have a
 * share of their own. Knows no bcrypt and no clients.
 */
import { TooManyLogins } from './errors.ts'

export const HASH_LIMITS = {
  /** Maximum simultaneous hashes: half of Node's worker threads, because name look-ups and files need the others. */
  atOnce: 2,
  /**
   * Maximum queued logins. Large enough for all devices of a plant to connect at once from one address; some MQTT
   * clients never retry after a refusal.
   */
  waiting: 10_000,
} as const

export type HashLimits = { readonly [Name in keyof typeof HASH_LIMITS]: number }

export interface LoginTurn {
  /** Address or network of the peer, see `shareOf`. */
  readonly share: string
  /** Key of the check. Equal checks of one share run once. */
  readonly key: string
  readonly signal: AbortSignal | undefined
}

/** Queued or running login, with all peers that await its result. */
class QueuedLogin {
  readonly share: string
  readonly id: string
  readonly check: () => Promise<boolean>
  readonly result: Promise<boolean>
  /** Number of connected peers. */
  peers = 0
  resolve!: (result: boolean | Promise<boolean>) => void
  reject!: (error: Error) => void

  constructor(share: string, id: string, check: () => Promise<boolean>) {
    this.share = share
    this.id = id
    this.check = check
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

export class HashQueue {
  readonly #limits: HashLimits
  readonly #running = { work: 0, logins: 0 }
  /** Queued work of logged-in clients. */
  readonly #work: (() => Promise<unknown>)[] = []
  /** Queued logins by share. The first share has the next turn. */
  readonly #shares = new Map<string, Set<QueuedLogin>>()
  readonly #logins = new Map<string, QueuedLogin>()
  #waitingLogins = 0

  constructor(limits: HashLimits = HASH_LIMITS) {
    this.#limits = limits
  }

  /** Runs the work of a logged-in client, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#work.push(() => work().then(resolve, reject))
      this.#start()
    })
  }

  /**
   * Runs the check of a login when its turn comes.
   *
   * @throws {TooManyLogins} when too many later logins are queued, or the peer disconnects before its turn
   */
  async login({ share, key, signal }: LoginTurn, check: () => Promise<boolean>): Promise<boolean> {
    if (signal?.aborted) throw new TooManyLogins()
    const id = JSON.stringify([share, key])
    const login = this.#logins.get(id) ?? this.#add(new QueuedLogin(share, id, check))
    login.peers++
    const leave = (): void => {
      if (--login.peers === 0) this.#drop(login)
    }
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await login.result
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #add(login: QueuedLogin): QueuedLogin {
    const waiting = this.#shares.get(login.share) ?? new Set()
    this.#shares.set(login.share, waiting.add(login))
    this.#logins.set(login.id, login)
    this.#waitingLogins++
    if (this.#waitingLogins > this.#limits.waiting) this.#makeRoom()
    this.#start()
    return login
  }

  /** Drops the oldest login of the address with the most logins. */
  #makeRoom(): void {
    let longest: ReadonlySet<QueuedLogin> = new Set()
    for (const each of this.#shares.values()) if (each.size > longest.size) longest = each
    const [oldest] = longest
    if (oldest) this.#drop(oldest)
  }

  #drop(login: QueuedLogin): void {
    if (!this.#remove(login)) return
    this.#logins.delete(login.id)
    login.reject(new TooManyLogins())
  }

  /** Removes a login from its share. Returns false if it has already left the share. */
  #remove(login: QueuedLogin): boolean {
    const waiting = this.#shares.get(login.share)
    if (!waiting?.delete(login)) return false
    if (waiting.size === 0) this.#shares.delete(login.share)
    this.#waitingLogins--
    return true
  }

  #start(): void {
    const running = this.#running
    while (running.work + running.logins < this.#limits.atOnce) {
      // While both are queued, work and logins alternate. Otherwise either gets every turn.
      const work = running.work === 0 || this.#waitingLogins === 0 ? this.#work.shift() : undefined
      const login = work ? undefined : this.#nextLogin()
      if (work) this.#track('work', work())
      else if (login) this.#track('logins', this.#check(login))
      else return
    }
  }

  #nextLogin(): QueuedLogin | undefined {
    const [next] = this.#shares
    if (!next) return undefined
    const [share, waiting] = next
    const latest = [...waiting].at(-1) as QueuedLogin
    this.#remove(latest)
    // The share goes to the end of the queue.
    if (this.#shares.delete(share)) this.#shares.set(share, waiting)
    return latest
  }

  async #check(login: QueuedLogin): Promise<void> {
    login.resolve(login.check())
    await login.result.catch(() => {})
    this.#logins.delete(login.id)
  }

  #track(kind: 'work' | 'logins', ended: Promise<unknown>): void {
    this.#running[kind]++
    void ended.then(() => {
      this.#running[kind]--
      this.#start()
    })
  }
}
