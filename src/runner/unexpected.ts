/** Logs an error that nothing handles, with the endpoint file that it comes from. */
import { fileURLToPath } from 'node:url'
import type { Log } from '../process/log.ts'
import { isInside } from '../web/read-files.ts'
import type { Prefix } from '../web/site.ts'

/** File and line in a line of a stack: `at name (FILE:LINE:COLUMN)`, with the file as a path or a URL. */
const PLACE = /(?:\(|at |async )((?:file:\/\/)?\/[^():]+):(\d+):\d+\)?$/

/** @param effect what the server does now */
export function logUnexpected(
  log: Pick<Log, 'error'>,
  err: unknown,
  prefixes: readonly Pick<Prefix, 'path'>[],
  effect: string,
): void {
  const file = thrownIn(err, prefixes)
  const place = file === null ? '' : ` in ${file}`
  log.error({ err, ...(file !== null && { file }) }, `unexpected error${place}: ${effect}`)
}

/** Returns `FILE:LINE` of the innermost line of a stack that is in a prefix; null for an error from elsewhere. */
function thrownIn(error: unknown, prefixes: readonly Pick<Prefix, 'path'>[]): string | null {
  for (const each of String((error as Error | null)?.stack ?? '').split('\n')) {
    const [, place, line] = PLACE.exec(each) ?? []
    if (place === undefined) continue
    const file = place.startsWith('file:') ? fileURLToPath(place) : place
    if (prefixes.some(({ path }) => isInside(file, path))) return `${file}:${line}`
  }
  return null
}
