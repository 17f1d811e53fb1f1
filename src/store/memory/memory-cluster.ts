/** Nodes of one installation in one process: shared state is in memory, and news arrive in a later turn. For tests. */
import { importRunning } from '../../auth/errors.ts'
import type { ImportReport } from '../../auth/import-report.ts'
import type { Cluster, News } from '../../broker/contract/cluster.ts'
import type { PresenceChange } from '../../broker/views/presence.ts'
import type { CountedRejection } from '../../broker/views/rejection-log.ts'
import { formsOf } from '../../broker/vocabulary/text-part.ts'
import { nodeOfConnection } from '../../transport/connection-directory.ts'
import { isFound, type ListedConnection } from '../../transport/connections.ts'
import type { OtherNode, RetainedEntry } from '../../transport/node-directory.ts'
import type { TakenSession } from '../../transport/session-directory.ts'
import type { SharedState } from '../shared-state.ts'

interface StoredSession {
  fence: number
  subscriptions: string | null
  expirySeconds: number
}

export interface MemoryNode extends SharedState {
  /** Ends the lease of the node, which then gets another number. */
  lapse(): void
  kill(): void
}

export class MemoryCluster {
  readonly #nodes = new Map<number, { listeners: Set<(news: News, from: number) => void> }>()
  readonly #sessions = new Map<string, StoredSession>()
  readonly #connections = new Map<number, ListedConnection>()
  readonly #presence = new Map<number, Map<string, PresenceChange>>()
  readonly #seen: { deviceId: string; atMs: number }[] = []
  readonly #rejections = new Map<string, CountedRejection>()
  readonly #imports = new Map<number, { report: ImportReport; nodeId: number }>()
  readonly #listeners = new Map<number, OtherNode>()
  readonly #retained = new Map<string, RetainedEntry>()
  #lastNode = 0
  #fence = 0

  node(): MemoryNode {
    const listeners = new Set<(news: News, from: number) => void>()
    const lapses = new Set<() => void>()
    const join = (): number => {
      this.#nodes.set(++this.#lastNode, { listeners })
      return this.#lastNode
    }
    let id = join()
    const cluster: Cluster = {
      get nodeId() {
        return id
      },
      isLive: () => this.#nodes.has(id),
      tell: async (news) => this.#tell(id, news),
      onNews(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      onLapse(listener) {
        lapses.add(listener)
        return () => lapses.delete(listener)
      },
    }
    return {
      cluster,
      sessions: this.#sessionsOf(cluster),
      connections: this.#connectionsOf(cluster),
      presence: this.#presenceOf(cluster),
      ...this.#sums(cluster),
      ...this.#telemetry(cluster),
      lapse: () => {
        this.#nodes.delete(id)
        for (const listener of lapses) listener()
        id = join()
      },
      kill: () => void this.#nodes.delete(id),
    }
  }

  #tell(from: number, news: News): void {
    for (const [nodeId, { listeners }] of this.#nodes) {
      if (nodeId === from || !this.#nodes.has(from)) continue
      for (const listener of listeners) setImmediate(() => listener(news, from))
    }
  }

  #sessionsOf(cluster: Cluster): SharedState['sessions'] {
    const ours = (sessionId: string, fence: number): StoredSession | null => {
      const session = this.#sessions.get(sessionId)
      return session?.fence === fence ? session : null
    }
    return {
      take: async ({ sessionId, isClean, expirySeconds }): Promise<TakenSession> => {
        const fence = ++this.#fence
        const before = isClean ? undefined : this.#sessions.get(sessionId)
        const subscriptions = before && before.expirySeconds > 0 ? before.subscriptions : null
        this.#sessions.set(sessionId, { fence, subscriptions, expirySeconds })
        this.#tell(cluster.nodeId, { is: 'session-taken', sessionId, fence, isClean })
        return { fence, previous: before?.fence ?? null, subscriptions }
      },
      keep: async (sessionId, fence, subscriptions) => {
        const session = ours(sessionId, fence)
        if (session) session.subscriptions = subscriptions
      },
      release: async (sessionId, fence, expirySeconds) => {
        const session = ours(sessionId, fence)
        if (session && expirySeconds === 0) this.#sessions.delete(sessionId)
        else if (session) session.expirySeconds = expirySeconds
      },
    }
  }

  #connectionsOf(cluster: Cluster): SharedState['connections'] {
    const others = (): ListedConnection[] =>
      [...this.#connections.values()].filter(({ id }) => this.#isOther(nodeOfConnection(id), cluster))
    return {
      put: async (connection) => void this.#connections.set(connection.id, connection),
      remove: async (id) => void this.#connections.delete(id),
      list: async (after, limit, deviceId) =>
        others()
          .filter((each) => each.id > after && (deviceId === null || each.deviceId === deviceId))
          .sort((a, b) => a.id - b.id)
          .slice(0, limit),
      search: async (after, limit, { search, deviceId }) => {
        const forms = formsOf(search)
        const found = others()
          .filter((each) => (deviceId === undefined || each.deviceId === deviceId) && isFound(each, forms))
          .sort((a, b) => a.id - b.id)
        return { items: found.filter(({ id }) => id > after).slice(0, limit), total: found.length }
      },
      get: async (wanted) => others().find(({ id }) => id === wanted) ?? null,
      count: async () => others().length,
    }
  }

  #presenceOf(cluster: Cluster): SharedState['presence'] {
    return {
      put: async (change) => {
        const devices = this.#presence.get(cluster.nodeId) ?? new Map<string, PresenceChange>()
        this.#presence.set(cluster.nodeId, devices)
        if (change.connected) devices.set(change.deviceId, change)
        else devices.delete(change.deviceId)
        this.#tell(cluster.nodeId, { is: 'presence', ...change })
      },
      connected: async () =>
        [...this.#presence]
          .filter(([nodeId]) => this.#isOther(nodeId, cluster))
          .flatMap(([nodeId, devices]) =>
            [...devices.values()].map(({ deviceId, transport }) => ({ nodeId, deviceId, transport })),
          ),
      livingNodes: async () => [...this.#nodes.keys()],
      seen: async (devices) => void this.#seen.push(...devices),
      seenSince: async (cursor) => ({ devices: this.#seen.slice(cursor ?? 0), cursor: this.#seen.length }),
    }
  }

  #sums(cluster: Cluster): Pick<SharedState, 'rejections' | 'imports'> {
    return {
      rejections: {
        add: async (entries) => {
          for (const entry of entries) this.#addRejection(entry)
        },
        all: async () => [...this.#rejections.values()].sort((a, b) => b.atMs - a.atMs),
      },
      imports: {
        begin: async (report) => {
          const isRunning = [...this.#imports.values()].some(
            (each) => each.report.state === 'RUNNING' && this.#isOther(each.nodeId, cluster),
          )
          if (isRunning) throw importRunning()
          let id = report.id
          while (this.#imports.has(id)) id++
          this.#imports.set(id, { report: { ...report, id }, nodeId: cluster.nodeId })
          return id
        },
        save: async (report) => void this.#imports.set(report.id, { report, nodeId: cluster.nodeId }),
        get: async (id) => {
          const found = this.#imports.get(id)
          if (!found) return null
          const isOver = found.report.state === 'RUNNING' && !this.#nodes.has(found.nodeId)
          return isOver ? { ...found.report, state: 'STOPPED' } : found.report
        },
      },
    }
  }

  #telemetry(cluster: Cluster): Pick<SharedState, 'listeners' | 'retained'> {
    const entries = (topics: Iterable<string>): RetainedEntry[] =>
      [...topics].flatMap((topic) => {
        const entry = this.#retained.get(topic)
        return entry === undefined ? [] : [entry]
      })
    return {
      listeners: {
        announce: async ({ host, ...address }) => {
          const { nodeId } = cluster
          this.#listeners.set(nodeId, { nodeId, host: host ?? '127.0.0.1', ...address })
          this.#tell(nodeId, { is: 'node-listens' })
        },
        others: async () =>
          [...this.#listeners.values()].filter(({ nodeId }) => this.#isOther(nodeId, cluster)),
      },
      retained: {
        put: async (entry) => {
          const { topic, content } = entry
          if (content === null) this.#retained.delete(topic)
          else this.#retained.set(topic, entry)
          this.#tell(cluster.nodeId, { is: 'retained', topic })
        },
        read: async (topics) => entries(topics),
        list: async (after, limit) =>
          entries(
            [...this.#retained.keys()]
              .filter((topic) => topic > after)
              .sort()
              .slice(0, limit),
          ),
        watch: (listener) =>
          cluster.onNews((news) => {
            if (news.is === 'retained') listener(news.topic)
          }),
      },
    }
  }

  #addRejection(entry: CountedRejection): void {
    const { reason, transport, deviceId, clientId, address } = entry
    const key = JSON.stringify([reason, transport, deviceId, clientId, address])
    const before = this.#rejections.get(key)
    this.#rejections.set(key, {
      ...(before && before.atMs > entry.atMs ? before : entry),
      count: entry.count + (before?.count ?? 0),
      firstAtMs: Math.min(entry.firstAtMs, before?.firstAtMs ?? entry.firstAtMs),
    })
  }

  #isOther(nodeId: number, cluster: Cluster): boolean {
    return nodeId !== cluster.nodeId && this.#nodes.has(nodeId)
  }
}
