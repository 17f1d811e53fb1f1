import { relative } from 'node:path'

/** Returns a path relative to the current directory if it lies below, else unchanged. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
