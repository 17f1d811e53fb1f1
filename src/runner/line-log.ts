/** Writes a log of JSON lines without a library. */
import { inspect } from 'node:util'
import type { Log } from '../process/log.ts'

/** Returns a log that writes one JSON object a line. `debug` lines are left out. */
export function lineLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (fields: object, msg: string): void => {
      const line = { level, time: new Date().toISOString(), ...shown(fields), msg }
      write(`${JSON.stringify(line)}\n`)
    }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug() {} }
}

/** Returns the fields with an error as its text: its stack, its members and its cause. */
function shown(fields: object & { readonly err?: unknown }): object {
  return 'err' in fields ? { ...fields, err: inspect(fields.err) } : fields
}
