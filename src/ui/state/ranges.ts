/** Finds the rows between two rows of a list. */

/** Returns the keys from one row to another, in either direction. An anchor that left the list is ignored. */
export function between(anchor: string | null, key: string, order: readonly string[]): readonly string[] {
  const [from, to] = [anchor === null ? -1 : order.indexOf(anchor), order.indexOf(key)]
  if (from < 0 || to < 0) return [key]
  return order.slice(Math.min(from, to), Math.max(from, to) + 1)
}
