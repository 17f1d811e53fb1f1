#!/usr/bin/env node
/** Runs the command line, and shuts down on a signal. */
import closeWithGrace from 'close-with-grace'
import { processIo } from '../src/cli/process-io.ts'
import type { Running } from '../src/main.ts'
import { addonProblem } from '../src/process/addons.ts'
import { EXIT } from '../src/process/exit.ts'
import type { Signals } from '../src/process/signals.ts'
import { preventGrowth } from '../src/process/young-generation.ts'

/** Maximum time for running requests to finish. */
const GRACE_MS = 3_500
/** Maximum time of the whole shutdown. */
const SHUTDOWN_MS = 4_800

/** Time after which a failed command ends the process. */
const LEFT_OPEN_MS = 1_000

const io = processIo()

/** Signals that `src/process/signals.ts` handles, and the end of the event loop, which a server keeps alive. */
const NOT_HANDLED_HERE = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'beforeExit'] as const

function stopOnSignal(running: Running, signals: Signals): void {
  let cause = 'exit'
  const { onRejection } = running
  if (onRejection) process.on('unhandledRejection', onRejection)
  const skip = onRejection ? [...NOT_HANDLED_HERE, 'unhandledRejection' as const] : [...NOT_HANDLED_HERE]
  const stopping = closeWithGrace({ delay: SHUTDOWN_MS, logger: console, skip }, ({ signal, err }) =>
    running.close(GRACE_MS, err ?? signal ?? cause),
  )
  signals.onStop((signal) => {
    cause = signal
    stopping.close()
  })
}

// A server allows the growth when it listens, any other command when it begins.
preventGrowth()
try {
  // The commands import bcrypt. If its import failed inside them, Node 20 would report the error a second time, as
  // unhandled.
  await import('bcrypt')
  const { run } = await import('../src/cli/program.ts')
  const code = await run(process.argv.slice(2), io, stopOnSignal)
  process.exitCode = code ?? EXIT.ok
  // Resources left open by a failed start, such as a timer of an endpoint, must not keep the process alive.
  if (code !== undefined && code !== EXIT.ok) setTimeout(() => process.exit(), LEFT_OPEN_MS).unref()
} catch (error) {
  const problem = addonProblem(error)
  if (problem === null) throw error
  io.err(`waybill: ${problem}\n`)
  process.exitCode = EXIT.configuration
}
