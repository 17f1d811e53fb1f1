/** Compares the presence that a node reports with the times in which the devices of a run heard their server. */
import { setTimeout as pause } from 'node:timers/promises'
import { withToken } from '../../_support/rest.ts'
import type { ClusterNode } from './cluster-node.ts'

/** Time in which a device heard its server regularly, in milliseconds since 1970. */
export interface Heard {
  readonly fromMs: number
  toMs: number
}

interface Span {
  readonly state: string
  readonly fromDate: number
  readonly toDate: number
}

/** Silence after which a device does not know whether it is connected. Its pings come more often. */
const SILENCE_MS = 3_000
/** Difference between the times of a node and those of a device, which learns of its connection earlier or later. */
const MARGIN_MS = 500
/** Time within which the nodes have exchanged what they know. */
const AGREE_MS = 15_000

/** Records the times in which a connection hears the server. */
export class Hearing {
  readonly #times: Heard[]
  #last: Heard | null = null

  /** @param times list to which the times are added */
  constructor(times: Heard[]) {
    this.#times = times
  }

  heard(): void {
    const nowMs = Date.now()
    if (this.#last !== null && nowMs - this.#last.toMs <= SILENCE_MS) {
      this.#last.toMs = nowMs
      return
    }
    this.#last = { fromMs: nowMs, toMs: nowMs }
    this.#times.push(this.#last)
  }
}

/** Returns the devices that a node reports as away while they heard a server, at the end of the limit. */
export async function wrongPresence(
  node: ClusterNode,
  token: string,
  heard: ReadonlyMap<string, readonly Heard[]>,
): Promise<string[]> {
  const start = performance.now()
  for (;;) {
    const wrong: string[] = []
    for (const [deviceId, times] of heard) wrong.push(...(await wrongSpans(node, token, deviceId, times)))
    if (wrong.length === 0 || performance.now() - start > AGREE_MS) return wrong
    await pause(500)
  }
}

async function wrongSpans(
  node: ClusterNode,
  token: string,
  deviceId: string,
  times: readonly Heard[],
): Promise<string[]> {
  if (times.length === 0) return []
  const fromMs = Math.min(...times.map((each) => each.fromMs))
  const toMs = Math.max(...times.map((each) => each.toMs))
  // Without an end, a node whose clock is behind takes its own time, which may be before the begin.
  const path = `/admin/api/devices/${deviceId}/presence?from=${fromMs}&to=${toMs + 1}`
  const { status, body } = await withToken(node.url, token).get(path)
  if (status !== 200) return [`the presence of ${deviceId} has status ${status}`]
  const away = (body as { spans: readonly Span[] }).spans.filter(({ state }) => state === 'AWAY')
  return away.flatMap(({ fromDate, toDate }) =>
    times
      .filter((each) => fromDate < each.toMs - MARGIN_MS && toDate > each.fromMs + MARGIN_MS)
      .map(
        (each) => `${deviceId} is AWAY ${fromDate}-${toDate}, and heard a server ${each.fromMs}-${each.toMs}`,
      ),
  )
}
