/** Compares what the nodes say about connections at the end of a run with what the clients of the run know. */
import { setTimeout as pause } from 'node:timers/promises'
import { withToken } from '../../_support/rest.ts'
import type { ClusterNode } from './cluster-node.ts'

interface Expected {
  /** Number of the connected devices; null: unknown, as with a gateway. */
  readonly devices: number | null
  readonly connections: number
}

/** Time within which all nodes must agree. Nodes exchange the presence of devices every five seconds. */
const AGREE_MS = 20_000

/** Returns the nodes whose overview is wrong at the end of the limit. */
export async function wrongOverviews(
  nodes: readonly ClusterNode[],
  token: string,
  { devices, connections }: Expected,
): Promise<string[]> {
  const start = performance.now()
  const expected = `${devices ?? 'any'} devices, ${connections} connections`
  for (;;) {
    const found = await Promise.all(nodes.map((node) => overviewOf(node, token, devices === null)))
    const wrong = found.filter((each) => each !== expected)
    if (wrong.length === 0) return []
    if (performance.now() - start > AGREE_MS)
      return [`the nodes show: ${found.join('; ')}. Expected: ${expected}`]
    await pause(200)
  }
}

async function overviewOf(node: ClusterNode, token: string, isAny: boolean): Promise<string> {
  const { status, body } = await withToken(node.url, token).get('/admin/api/overview')
  if (status !== 200) return `status ${status}`
  const { devices, connections } = body as { devices: { online: number }; connections: number }
  return `${isAny ? 'any' : devices.online} devices, ${connections} connections`
}
