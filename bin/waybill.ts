#!/usr/bin/env node
/** Runs the command line, and shuts down on a signal. */
import closeWithGrace from 'close-with-grace'
import { EXIT, run } from '../src/cli.ts'

/** Maximum time that running requests get to finish. */
const GRACE_MS = 3_500
/** Maximum time of the whole shutdown. */
const SHUTDOWN_MS = 4_800

const io = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
}

const code = await run(process.argv.slice(2), io, (running) => {
  closeWithGrace({ delay: SHUTDOWN_MS, logger: console }, ({ signal, err }) =>
    running.close(GRACE_MS, err ?? signal ?? 'exit'),
  )
})

process.exitCode = code ?? EXIT.ok
