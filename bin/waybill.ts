#!/usr/bin/env node
/** argv → a command; signals → an orderly end. Nothing else. */
import closeWithGrace from 'close-with-grace'
import { EXIT, run } from '../src/cli.ts'

/** Running requests get this long to finish; the whole end takes no longer than END_MS. */
const GRACE_MS = 3_500
const END_MS = 4_800

const io = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
}

const code = await run(process.argv.slice(2), io, (running) => {
  closeWithGrace({ delay: END_MS, logger: console }, ({ signal, err }) =>
    running.close(GRACE_MS, err ?? signal ?? 'exit'),
  )
})

process.exitCode = code ?? EXIT.ok
