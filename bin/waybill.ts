#!/usr/bin/env node
/** Runs the command line, and shuts down on a signal. */
import closeWithGrace from 'close-with-grace'
import { EXIT, run } from '../src/cli.ts'
import type { Running } from '../src/main.ts'
import type { Signals } from '../src/process/signals.ts'

/** Maximum time that running requests get to finish. */
const GRACE_MS = 3_500
/** Maximum time of the whole shutdown. */
const SHUTDOWN_MS = 4_800

const io = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
}

/** Signals that `src/process/signals.ts` handles. */
const HANDLED_ELSEWHERE = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const

function stopOnSignal(running: Running, signals: Signals): void {
  let cause = 'exit'
  const stopping = closeWithGrace(
    { delay: SHUTDOWN_MS, logger: console, skip: [...HANDLED_ELSEWHERE] },
    ({ signal, err }) => running.close(GRACE_MS, err ?? signal ?? cause),
  )
  signals.onStop((signal) => {
    cause = signal
    stopping.close()
  })
}

process.exitCode = (await run(process.argv.slice(2), io, stopOnSignal)) ?? EXIT.ok
