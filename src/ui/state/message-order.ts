/** Remembers the list from which a message was opened, so that its neighbours come from the list. */

let listed: readonly number[] = []

export interface Neighbours {
  /** Id of the older message; null without one. */
  readonly previousId: number | null
  /** Id of the newer message; null without one. */
  readonly nextId: number | null
}

/** Remembers the ids of a list, in any order. */
export function rememberList(ids: readonly number[]): void {
  listed = [...ids].sort((a, b) => a - b)
}

/** Returns the neighbours of a message: in the list it was opened from, else among all messages. */
export function neighboursOf(
  id: number,
  all: { previousId?: number | null; nextId?: number | null },
): Neighbours {
  const at = listed.indexOf(id)
  if (at < 0) return { previousId: all.previousId ?? null, nextId: all.nextId ?? null }
  return { previousId: listed[at - 1] ?? null, nextId: listed[at + 1] ?? null }
}
