/** The order in which passwords are hashed: addresses take turns, logins are bounded, clients have a share of their own. */
import { describe, expect, test } from 'vitest'
import { TooManyLogins } from '../../src/auth/errors.ts'
import { type HashLimits, HashQueue } from '../../src/auth/hash-queue.ts'

/** A queue whose hashes end when the test says so. */
class QueueUnderTest {
  /** Names of the hashes that have begun, in order. */
  readonly begun: string[] = []
  readonly #queue: HashQueue
  readonly #ends = new Map<string, () => void>()

  constructor(limits: Partial<HashLimits> = {}) {
    this.#queue = new HashQueue({ atOnce: 1, waiting: 100, ...limits })
  }

  work(name: string): Promise<boolean> {
    return this.#queue.run(() => this.#hash(name))
  }

  /** @param name share and number, such as `A1` */
  login(name: string, signal?: AbortSignal): Promise<boolean> {
    const turn = { share: name.charAt(0), key: name, signal }
    return this.#queue.login(turn, () => this.#hash(name))
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      this.#ends.get(name)?.()
      await settle()
    }
  }

  #hash(name: string): Promise<boolean> {
    this.begun.push(name)
    return new Promise((resolve) => this.#ends.set(name, () => resolve(true)))
  }
}

/** Lets all promises that are due settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('logins', () => {
  test('one address has many, others have few → the addresses take turns, the latest of each first', async () => {
    const queue = new QueueUnderTest()
    for (const name of ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'C1']) void queue.login(name)
    await queue.end('A1', 'A4', 'B2', 'C1', 'A3', 'B1', 'A2')
    expect(queue.begun).toEqual(['A1', 'A4', 'B2', 'C1', 'A3', 'B1', 'A2'])
  })

  test('too many → the oldest of the address with the most is refused', async () => {
    const queue = new QueueUnderTest({ waiting: 3 })
    void queue.login('A0')
    const [first, second, third] = ['A1', 'A2', 'A3'].map((name) => queue.login(name))
    const other = queue.login('B1')
    await expect(first).rejects.toEqual(new TooManyLogins())
    const latest = queue.login('A4')
    await expect(second).rejects.toEqual(new TooManyLogins())
    await queue.end('A0', 'A4', 'B1', 'A3')
    expect(await Promise.all([third, other, latest])).toEqual([true, true, true])
    expect(queue.begun).toEqual(['A0', 'A4', 'B1', 'A3'])
  })

  test('the peer leaves before its turn → no hash, its place is free', async () => {
    const queue = new QueueUnderTest({ waiting: 1 })
    const peer = new AbortController()
    void queue.login('A1')
    const abandoned = queue.login('A2', peer.signal)
    peer.abort()
    await expect(abandoned).rejects.toEqual(new TooManyLogins())
    const next = queue.login('A3')
    await queue.end('A1', 'A3')
    expect(await next).toBe(true)
    expect(queue.begun).toEqual(['A1', 'A3'])
  })

  test('the peer has left already → no hash', async () => {
    const queue = new QueueUnderTest()
    await expect(queue.login('A1', AbortSignal.abort())).rejects.toEqual(new TooManyLogins())
    expect(queue.begun).toEqual([])
  })

  test('equal ones of one address → one hash for all, also when one peer leaves', async () => {
    const queue = new QueueUnderTest()
    const peer = new AbortController()
    void queue.login('A1')
    const equal = [queue.login('A2', peer.signal), queue.login('A2')]
    peer.abort()
    await queue.end('A1')
    equal.push(queue.login('A2'))
    await queue.end('A2')
    expect(await Promise.all(equal)).toEqual([true, true, true])
    expect(queue.begun).toEqual(['A1', 'A2'])
    void queue.login('A2')
    expect(queue.begun).toEqual(['A1', 'A2', 'A2'])
  })

  test('a check fails → its peer gets the error, the next one has its turn', async () => {
    const queue = new HashQueue({ atOnce: 1, waiting: 10 })
    const turn = { share: 'A', key: '1', signal: undefined }
    const failed = queue.login(turn, () => Promise.reject(new Error('broken')))
    const next = queue.login({ ...turn, key: '2' }, () => Promise.resolve(true))
    await expect(failed).rejects.toThrow('broken')
    expect(await next).toBe(true)
  })
})

describe('work of clients that have logged in', () => {
  test('logins wait → work has one of two turns, logins have the other', async () => {
    const queue = new QueueUnderTest({ atOnce: 2 })
    for (const name of ['A1', 'A2', 'A3', 'A4']) void queue.login(name)
    for (const name of ['w1', 'w2']) void queue.work(name)
    expect(queue.begun).toEqual(['A1', 'A2'])
    await queue.end('A1')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1'])
    await queue.end('A2')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A4'])
    await queue.end('w1')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A4', 'w2'])
    await queue.end('w2')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A4', 'w2', 'A3'])
  })

  test('no login waits → work has both turns', () => {
    const queue = new QueueUnderTest({ atOnce: 2 })
    for (const name of ['w1', 'w2', 'w3']) void queue.work(name)
    expect(queue.begun).toEqual(['w1', 'w2'])
  })
})
