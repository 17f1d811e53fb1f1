/** Connects the command line with the streams and signals of the process. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { EXIT } from './exit.ts'
import type { Output } from './remote.ts'

/** Signals that end a command. */
const ENDING = ['SIGINT', 'SIGTERM'] as const

/** Returns the streams of the process. */
export function processIo(): Output {
  const { stdout } = process
  return {
    out: writer(stdout),
    err: writer(process.stderr),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain')
    },
    terminal: stdout.isTTY ? { columns: stdout.columns, colors: stdout.hasColors() } : undefined,
    input: () => text(process.stdin),
    interruption: () => {
      const controller = new AbortController()
      // A second signal of the kind ends the process at once, as it does without a handler.
      for (const signal of ENDING) process.once(signal, () => controller.abort())
      return controller.signal
    },
  }
}

/**
 * Returns a function that writes to a stream. The process ends when the reader of the stream has ended, as `head -1` does:
 * that is no failure, so the exit code is 0.
 */
function writer(stream: NodeJS.WriteStream): (text: string) => void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    throw error
  }
  // The log of a server has its own stream, so the listener is added by the first command that prints.
  return (piece) => {
    if (!stream.listeners('error').includes(onError)) stream.on('error', onError)
    stream.write(piece)
  }
}
