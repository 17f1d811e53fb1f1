/**
 * Decides which password is hashed next. Logins come from anyone: they are bounded, and addresses take turns. Of one
 * address the latest login is checked first, since the client of the oldest is the likeliest to have given up. The work of
 * clients that have logged in has a share of its own. Knows no bcrypt and no clients.
 */
import { TooManyLogins } from './errors.ts'

export const HASH_LIMITS = {
  /** Maximum hashes at a time: half of Node's worker threads, since name look-ups and files need them too. */
  atOnce: 2,
  /**
   * Maximum waiting logins, so that all devices of a plant may connect at once, from one address too. Some clients of MQTT
   * never try again after a refusal.
   */
  waiting: 10_000,
} as const

export type HashLimits = { readonly [Name in keyof typeof HASH_LIMITS]: number }

export interface LoginTurn {
  /** Address or network of the peer, see `shareOf`. */
  readonly share: string
  /** Name of the check. Equal checks of one share are made once. */
  readonly key: string
  /** Aborts when the peer has disconnected. */
  readonly signal: AbortSignal | undefined
}

/** Login that waits for its turn or is being checked, with all peers that await its result. */
class QueuedLogin {
  readonly share: string
  readonly id: string
  readonly check: () => Promise<boolean>
  readonly result: Promise<boolean>
  /** Number of peers that are still connected. */
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
  /** Waiting work of clients that have logged in. */
  readonly #work: (() => Promise<unknown>)[] = []
  /** Waiting logins by share. The first share has the next turn. */
  readonly #shares = new Map<string, Set<QueuedLogin>>()
  /** Logins that wait or run, by id. */
  readonly #logins = new Map<string, QueuedLogin>()
  #waitingLogins = 0

  constructor(limits: HashLimits = HASH_LIMITS) {
    this.#limits = limits
  }

  /** Runs the work of a client that has logged in, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#work.push(() => work().then(resolve, reject))
      this.#start()
    })
  }

  /**
   * Runs the check of a login when its turn comes.
   *
   * @throws {TooManyLogins} when too many later logins wait, or when the peer disconnects before its turn
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

  /** Drops the oldest login of the address that has the most. */
  #makeRoom(): void {
    let longest: ReadonlySet<QueuedLogin> = new Set()
    for (const each of this.#shares.values()) if (each.size > longest.size) longest = each
    const [oldest] = longest
    if (oldest) this.#drop(oldest)
  }

  /** Refuses a login that still waits. */
  #drop(login: QueuedLogin): void {
    if (!this.#remove(login)) return
    this.#logins.delete(login.id)
    login.reject(new TooManyLogins())
  }

  /** Removes a login from its share. Returns false when it has left the share before. */
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
      // While both wait, work has one of two turns and logins have the other. Either has both while the other has none.
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
    // The share goes to the end of the line.
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
