/** The faults of nodes and devices. Each step is bounded, and leaves everything running. */
import type { Fault, FaultRun } from './fault-run.ts'

/** Kills a node without a warning, and starts it again. */
export const killNode: Fault = async (run) => {
  const node = run.pickNode()
  await node?.end('SIGKILL')
  await run.wait(100, 800)
  await node?.start()
}

/** Restarts all nodes, one after the other, as an upgrade does. */
export const rollingRestart: Fault = async (run) => {
  for (const node of run.nodes) {
    await node.end('SIGTERM')
    await node.start()
    await run.wait(100, 400)
  }
}

/** Stops a node for a time, which should be longer than the lease of a node, and lets it go on. */
export const pauseNode =
  (forMs: number): Fault =>
  async (run) => {
    const node = run.pickNode()
    node?.pause()
    await run.wait(forMs, forMs * 1.1)
    node?.resume()
  }

/**
 * Stops a node while devices move to the others. Their connections to the stopped node stay open, so only the node itself can
 * end them when it goes on.
 */
export const pauseAndMove =
  (forMs: number): Fault =>
  async (run) => {
    await Promise.all([pauseNode(forMs)(run), moveSome(2 * forMs)(run)])
  }

/** Moves some devices to other nodes. The old connections stay open for a while. */
export const moveDevices: Fault = (run) => moveSome(400)(run)

/** Moves some devices, whose old connections stay open for at most this time. */
export const moveSome =
  (lingerMs: number): Fault =>
  async (run) => {
    await moveAll(run, 1 / 3, () => lingerMs * run.random(), false)
  }

/** Moves all devices twice within a second, with the same client ids. */
export const takeoverStorm: Fault = async (run) => {
  for (let i = 0; i < 2; i++) await moveAll(run, 1, () => 200, true)
}

async function moveAll(
  run: FaultRun,
  share: number,
  lingerMs: () => number,
  keepsId: boolean,
): Promise<void> {
  const moving = run.devices.filter(() => run.random() < share)
  await Promise.all(
    moving.map(async (device) => {
      const node = run.pickNode()
      if (node !== null) await device.move(node, lingerMs(), keepsId)
    }),
  )
}
