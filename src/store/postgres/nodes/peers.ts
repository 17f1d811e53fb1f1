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
   * @param askedMs time before the read. A node may have beaten since then, while this process was paused.
   */
  observe(others: readonly SeenNode[], askedMs: number): boolean {
    const nowMs = this.#options.nowMs()
    this.#lookedMs = askedMs
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
    return [...this.#peers.keys()].filter((id) => this.isOver(id))
  }

  /** Returns whether the lease of a node had lapsed at the latest read. */
  isOver(id: number): boolean {
    return this.#isSilent(id, this.#options.leaseMs)
  }

  /** Returns the nodes that any other node may remove, by the latest read. */
  dead(): readonly SeenNode[] {
    return [...this.#peers.values()].filter(({ id }) => this.#isSilent(id, this.#options.deadMs))
  }

  #isSilent(id: number, forMs: number): boolean {
    const peer = this.#peers.get(id)
    return !peer || peer.isStopped || this.#lookedMs - peer.sinceMs >= forMs
  }
}
