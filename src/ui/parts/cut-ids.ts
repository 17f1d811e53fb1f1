/** Shortens long ids in the middle, so that the ids of one table still differ. */

/** Maximum length of an id that is not shortened. */
const WHOLE = 28
const HEAD = 13
const TAIL = 7
/** Characters added to both ends while two shortened ids are the same. */
const STEP = 4

export interface CutId {
  readonly head: string
  /** End of the id; '' if the id is not shortened. */
  readonly tail: string
}

/** Shortens one id: `very-long-dev` and `0009381`. @param more further characters at both ends */
export function cutId(id: string, more = 0): CutId {
  const letters = [...id]
  if (letters.length <= WHOLE + 2 * more) return { head: id, tail: '' }
  return { head: letters.slice(0, HEAD + more).join(''), tail: letters.slice(-TAIL - more).join('') }
}

/** Shortens the ids of a table. Ids that would look the same are widened until they differ. */
export function cutIds(ids: Iterable<string>): ReadonlyMap<string, CutId> {
  const cuts = new Map<string, CutId>()
  let open = [...new Set(ids)]
  for (let more = 0; open.length > 0; more += STEP) {
    const looks = new Map<string, string[]>()
    for (const id of open) {
      const cut = cutId(id, more)
      cuts.set(id, cut)
      if (cut.tail === '') continue
      const look = `${cut.head}…${cut.tail}`
      looks.set(look, [...(looks.get(look) ?? []), id])
    }
    open = [...looks.values()].filter((same) => same.length > 1).flat()
  }
  return cuts
}
