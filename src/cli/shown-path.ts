/** Shortens paths for people. */
import { relative } from 'node:path'

/** Returns a path relative to the current directory, if it lies below. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
