/**
 * Synchronizes the retained messages of this node with the other nodes: the storage has all of them, and each node
 * holds a copy in memory. Knows no limits.
 */
import type { AedesPublishPacket } from 'aedes'
import type { RetainedDirectory, RetainedEntry } from '../transport/node-directory.ts'
import type { LimitLog } from './limit-log.ts'

const READ_TOPICS = 1_000
/** Pause after a failed read, in milliseconds. */
const RETRY_MS = 1_000

export interface RetainedCopy {
  topics(): Iterable<string>
  /**
   * Holds a message, or removes the message of its topic if the payload is empty. Returns false if a limit forbids it.
   */
  hold(packet: AedesPublishPacket): boolean
}

export interface SharedRetainedOptions {
  readonly directory: RetainedDirectory
  readonly copy: RetainedCopy
  readonly limits: Pick<LimitLog, 'hit'>
}

export class SharedRetained {
  readonly #options: SharedRetainedOptions
  #changed = new Set<string>()
  #isAllChanged = true
  #reading: Promise<void> | null = null
  #retry: NodeJS.Timeout | null = null
  #isClosed = false
  readonly #unsubscribe: () => void

  constructor(options: SharedRetainedOptions) {
    this.#options = options
    this.#unsubscribe = options.directory.watch((topic) => {
      if (topic === null) this.#isAllChanged = true
      else this.#changed.add(topic)
      void this.#readSoon()
    })
  }

  /** Reads all messages. Resolves after they are read, or after the first read failed. */
  start(): Promise<void> {
    return this.#readSoon()
  }

  /**
   * Stores a message that a client of this node publishes. Resolves to true when the message is durable or a limit
   * forbids it, and to false if the storage failed. Never rejects.
   */
  async put(packet: AedesPublishPacket): Promise<boolean> {
    const { topic } = packet
    const { copy, directory, limits } = this.#options
    const entry = entryOf(packet)
    if (!copy.hold(packetOf(entry))) return true
    try {
      await directory.put(entry)
      return true
    } catch (error) {
      const message =
        'A retained message was not stored, and its sender may send it again. Look at the storage.'
      limits.hit('storage of retained messages', { err: error, topic }, message)
      return false
    } finally {
      // Another node may have stored its own message meanwhile; only the storage knows which is last.
      this.#changed.add(topic)
      void this.#readSoon()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    if (this.#retry) clearTimeout(this.#retry)
    await this.#reading
  }

  /** Runs reads one after the other, so that a later read shows a later state. */
  #readSoon(): Promise<void> {
    this.#reading ??= this.#read()
    return this.#reading
  }

  async #read(): Promise<void> {
    // One read covers all changes of this turn.
    await null
    try {
      while (!this.#isClosed && (this.#isAllChanged || this.#changed.size > 0)) await this.#readChanged()
    } catch {
      // The storage reports its failures.
      if (this.#retry) clearTimeout(this.#retry)
      this.#retry = setTimeout(() => void this.#readSoon(), RETRY_MS).unref()
    } finally {
      this.#reading = null
    }
  }

  async #readChanged(): Promise<void> {
    const isAll = this.#isAllChanged
    const topics = isAll ? [] : [...this.#changed].slice(0, READ_TOPICS)
    this.#isAllChanged = false
    for (const topic of topics) this.#changed.delete(topic)
    try {
      await (isAll ? this.#readAll() : this.#readTopics(topics))
    } catch (error) {
      this.#isAllChanged ||= isAll
      for (const topic of topics) this.#changed.add(topic)
      throw error
    }
  }

  async #readAll(): Promise<void> {
    const { directory, copy } = this.#options
    const gone = new Set(copy.topics())
    for (let after = '', more = true; more; ) {
      const entries = await directory.list(after, READ_TOPICS)
      for (const entry of entries) gone.delete(entry.topic)
      this.#hold(entries)
      after = entries.at(-1)?.topic ?? after
      more = entries.length === READ_TOPICS
    }
    await this.#readTopics([...gone])
  }

  async #readTopics(topics: readonly string[]): Promise<void> {
    if (topics.length === 0) return
    const entries = await this.#options.directory.read(topics)
    const gone = new Set(topics)
    for (const { topic } of entries) gone.delete(topic)
    this.#hold(entries)
    for (const topic of gone) this.#options.copy.hold(packetOf({ topic, content: null, expiresAtMs: null }))
  }

  #hold(entries: readonly RetainedEntry[]): void {
    for (const entry of entries) this.#options.copy.hold(packetOf(entry))
  }
}

/** Message as JSON. Bytes are in base64. */
interface Content {
  readonly payload: string
  readonly qos: 0 | 1 | 2
  readonly properties?: Record<string, unknown>
  readonly correlationData?: string
}

type Properties = Readonly<Record<string, unknown>> & {
  readonly correlationData?: Buffer
  readonly messageExpiryInterval?: number
}

function entryOf(packet: AedesPublishPacket): RetainedEntry {
  const { topic, payload, qos, properties } = packet as AedesPublishPacket & { properties?: Properties }
  if (payload.length === 0) return { topic, content: null, expiresAtMs: null }
  const { correlationData, ...rest } = properties ?? {}
  const content: Content = {
    payload: Buffer.from(payload as Buffer).toString('base64'),
    qos,
    ...(properties && { properties: rest }),
    ...(correlationData && { correlationData: correlationData.toString('base64') }),
  }
  const expirySec = properties?.messageExpiryInterval
  const expiresAtMs = expirySec ? Date.now() + expirySec * 1_000 : null
  return { topic, content: JSON.stringify(content), expiresAtMs }
}

function packetOf({ topic, content, expiresAtMs }: RetainedEntry): AedesPublishPacket {
  const parsed = JSON.parse(content ?? '{"payload":"","qos":0}') as Content
  const { payload, qos, properties, correlationData } = parsed
  const bytes = correlationData && { correlationData: Buffer.from(correlationData, 'base64') }
  const packet = {
    cmd: 'publish',
    topic,
    payload: Buffer.from(payload, 'base64'),
    qos,
    retain: true,
    dup: false,
    ...(properties && { properties: { ...properties, ...bytes } }),
    ...(expiresAtMs !== null && { messageExpiry: expiresAtMs }),
  }
  return packet as unknown as AedesPublishPacket
}
