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
    this.#queue = new HashQueue({ atOnce: 1, perAddress: 10, inAll: 100, ...limits })
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
  test('one address has many, others have few → the addresses take turns', async () => {
    const queue = new QueueUnderTest()
    for (const name of ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'C1']) void queue.login(name)
    await queue.end('A1', 'A2', 'B1', 'C1', 'A3', 'B2', 'A4')
    expect(queue.begun).toEqual(['A1', 'A2', 'B1', 'C1', 'A3', 'B2', 'A4'])
  })

  test('too many of one address → refused, those of another are not', async () => {
    const queue = new QueueUnderTest({ perAddress: 2 })
    const accepted = ['A1', 'A2', 'A3'].map((name) => queue.login(name))
    await expect(queue.login('A4')).rejects.toEqual(new TooManyLogins())
    accepted.push(queue.login('B1'))
    await queue.end('A1', 'A2', 'B1', 'A3')
    expect(await Promise.all(accepted)).toEqual([true, true, true, true])
  })

  test('too many of all addresses → the latest of the address with the most makes room, none for its equals', async () => {
    const queue = new QueueUnderTest({ inAll: 3 })
    void queue.login('A0')
    const [first, second, latest] = ['A1', 'A2', 'A3'].map((name) => queue.login(name))
    const other = queue.login('B1')
    await expect(latest).rejects.toEqual(new TooManyLogins())
    await expect(queue.login('B2')).rejects.toEqual(new TooManyLogins())
    const third = queue.login('C1')
    await expect(second).rejects.toEqual(new TooManyLogins())
    await expect(queue.login('D1')).rejects.toEqual(new TooManyLogins())
    await queue.end('A0', 'A1', 'B1', 'C1')
    expect(await Promise.all([first, other, third])).toEqual([true, true, true])
    expect(queue.begun).toEqual(['A0', 'A1', 'B1', 'C1'])
  })

  test('the peer leaves before its turn → no hash, its place is free', async () => {
    const queue = new QueueUnderTest({ perAddress: 1 })
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
    const queue = new HashQueue({ atOnce: 1, perAddress: 10, inAll: 10 })
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
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A3'])
    await queue.end('w1')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A3', 'w2'])
    await queue.end('w2')
    expect(queue.begun).toEqual(['A1', 'A2', 'w1', 'A3', 'w2', 'A4'])
  })

  test('no login waits → work has both turns', () => {
    const queue = new QueueUnderTest({ atOnce: 2 })
    for (const name of ['w1', 'w2', 'w3']) void queue.work(name)
    expect(queue.begun).toEqual(['w1', 'w2'])
  })
})
