/**
 * Tracks which other nodes live, by successive reads of the table `nodes`: a node whose number of beats grows lives.
 * Compares no clock except the monotonic clock of this process, so a step of any other clock ends no lease.
 */

export interface SeenNode {
  readonly id: number
  readonly beats: number
  readonly isStopped: boolean
}

interface Peer extends SeenNode {
  /** Time of the first read that returned this number of beats. */
  readonly sinceMs: number
}

export interface PeersOptions {
  readonly leaseMs: number
  /** Time without a beat after which a node is removed, in milliseconds. */
  readonly deadMs: number
  readonly nowMs: () => number
}

export class Peers {
  readonly #options: PeersOptions
  #peers: ReadonlyMap<number, Peer> = new Map()
  #lookedMs = 0
  /** Nodes whose lease held at the latest read. */
  #living: readonly number[] = []

  constructor(options: PeersOptions) {
    this.#options = options
  }

  /** Number of the other nodes whose lease may hold. */
  get living(): number {
    return [...this.#peers.keys()].filter((id) => !this.isOver(id)).length
  }

  /**
   * Processes a read of the table. Returns true if a lease has lapsed since the previous read.
   *
   * @param others the nodes without this one
   */
  observe(others: readonly SeenNode[]): boolean {
    const nowMs = this.#options.nowMs()
    this.#lookedMs = nowMs
    this.#peers = new Map(
      others.map((node) => {
        const before = this.#peers.get(node.id)
        return [node.id, { ...node, sinceMs: before?.beats === node.beats ? before.sinceMs : nowMs }]
      }),
    )
    const lived = this.#living
    this.#living = [...this.#peers.keys()].filter((id) => !this.isOver(id))
    return lived.some((id) => !this.#living.includes(id))
  }

  /** Other nodes whose lease had lapsed at the latest read. Excludes nodes that were never seen. */
  get silent(): readonly number[] {
    const { leaseMs } = this.#options
    const isOver = ({ sinceMs, isStopped }: Peer) => isStopped || this.#lookedMs - sinceMs >= leaseMs
    return [...this.#peers.values()].filter(isOver).map(({ id }) => id)
  }

  /** Returns, just after a read, whether the lease of a node has lapsed. */
  isOver(id: number): boolean {
    return this.#isSilent(id, this.#options.leaseMs)
  }

  /** Returns, just after a read, the nodes that any other node may remove. */
  dead(): readonly SeenNode[] {
    return [...this.#peers.values()].filter(({ id }) => this.#isSilent(id, this.#options.deadMs))
  }

  #isSilent(id: number, forMs: number): boolean {
    const peer = this.#peers.get(id)
    return !peer || peer.isStopped || this.#options.nowMs() - peer.sinceMs >= forMs
  }
}
