/** Connects the command line to the streams and signals of the process. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { EXIT } from '../process/exit.ts'
import type { Output } from './remote.ts'

const ENDING = ['SIGINT', 'SIGTERM'] as const

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
      // A second signal ends the process at once, as it does without a handler.
      for (const signal of ENDING) process.once(signal, () => controller.abort())
      return controller.signal
    },
  }
}

/**
 * Returns a function that writes to a stream. If the reader of the stream closes it, as `head -1` does, the process
 * ends with exit code 0, because that is no failure.
 */
function writer(stream: NodeJS.WriteStream): (text: string) => void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    throw error
  }
  // The log of a server has its own stream, so only the first command that prints adds the listener.
  return (piece) => {
    if (!stream.listeners('error').includes(onError)) stream.on('error', onError)
    stream.write(piece)
  }
}
