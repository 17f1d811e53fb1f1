#!/usr/bin/env node
/** Runs the command line of `waybill-web`, and shuts down on a signal. */
import { version } from '../src/process/version.ts'
import { runWeb } from '../src/runner/program.ts'
import type { Served } from '../src/runner/serve.ts'

/** Maximum time for running requests to finish. */
const GRACE_MS = 3_500
/** Maximum time of the whole shutdown. */
const SHUTDOWN_MS = 4_800

function stopOnSignal(served: Served, watch: boolean): void {
  let isStopping = false
  const stop = (code: number): void => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), SHUTDOWN_MS)
    served.close(GRACE_MS).then(
      () => process.exit(code),
      (error) => {
        served.report(error, 'stopped')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(0))
  process.on('uncaughtException', (error) => {
    served.report(error, 'stopping')
    stop(1)
  })
  process.on('unhandledRejection', (reason) => {
    served.report(reason, watch ? 'under --watch the server continues, otherwise it stops' : 'stopping')
    if (!watch) stop(1)
  })
}

const io = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
}
const code = await runWeb(process.argv.slice(2), { io, version: version(), onServed: stopOnSignal })
if (code !== undefined) process.exitCode = code
