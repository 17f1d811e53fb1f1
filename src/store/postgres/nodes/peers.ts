/**
 * Knows which other nodes live, by what each look at the table `nodes` shows: a node whose number of beats grows lives.
 * Compares no clock but the monotonic one of this process, so a step of any other clock ends no lease.
 */

/** A node as a look at the table shows it. */
export interface SeenNode {
  readonly id: number
  readonly beats: number
  readonly isStopped: boolean
}

interface Peer extends SeenNode {
  /** Time of the first look that showed this number of beats. */
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
  /** Time of the latest look. */
  #lookedMs = 0
  /** The nodes whose lease held at the latest look. */
  #living: readonly number[] = []

  constructor(options: PeersOptions) {
    this.#options = options
  }

  /** Number of the other nodes whose lease may hold. */
  get living(): number {
    return [...this.#peers.keys()].filter((id) => !this.isOver(id)).length
  }

  /**
   * Takes in what a look at the table showed. Returns true when the lease of a node is over that held at the look before.
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

  /** The other nodes whose lease was over at the latest look. A node that was never seen is none of them. */
  get silent(): readonly number[] {
    const { leaseMs } = this.#options
    const isOver = ({ sinceMs, isStopped }: Peer) => isStopped || this.#lookedMs - sinceMs >= leaseMs
    return [...this.#peers.values()].filter(isOver).map(({ id }) => id)
  }

  /** Tells, just after a look, whether the lease of a node is over. */
  isOver(id: number): boolean {
    return this.#isSilent(id, this.#options.leaseMs)
  }

  /** Returns, just after a look, the nodes that any other node may remove. */
  dead(): readonly SeenNode[] {
    return [...this.#peers.values()].filter(({ id }) => this.#isSilent(id, this.#options.deadMs))
  }

  #isSilent(id: number, forMs: number): boolean {
    const peer = this.#peers.get(id)
    return !peer || peer.isStopped || this.#options.nowMs() - peer.sinceMs >= forMs
  }
}
