/** Freezes the rows of a table while somebody uses them: cells update in place, and rows come and go later. */

export interface ShownRow<Row> {
  readonly key: string
  readonly row: Row
  /** True if the list no longer has the row, which stays until the table is released. */
  readonly isGone: boolean
  /** True if the row arrived while the list was shown. */
  readonly isFresh: boolean
}

export interface LiveRows<Row> {
  readonly listKey: string
  readonly shown: readonly ShownRow<Row>[]
  /** Number of new rows that wait for the release of the table. */
  readonly held: number
}

/**
 * Maximum rows that are highlighted when they arrive together. Highlighting every row of a large group is useless and
 * slow.
 */
const MAX_FRESH = 10

interface Incoming<Row> {
  /** Names filters and sort: rows under another key replace all at once. */
  readonly listKey: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly isHeld: boolean
  /** Maximum rows to show, unless they are held. Default: all. */
  readonly most?: number | undefined
}

/** Returns the rows to show after a change of the list. An unchanged row is the same object as before. */
export function nextRows<Row>(before: LiveRows<Row> | null, incoming: Incoming<Row>): LiveRows<Row> {
  const { listKey, rows, keyOf, isHeld, most = rows.length } = incoming
  const isSameList = before?.listKey === listKey && before.shown.length > 0
  const shownBefore = new Map(isSameList ? before.shown.map((each) => [each.key, each]) : [])
  const kept = (present: ShownRow<Row>): ShownRow<Row> => {
    const earlier = shownBefore.get(present.key)
    const isSame =
      earlier?.row === present.row && earlier.isGone === present.isGone && earlier.isFresh === present.isFresh
    return isSame ? earlier : present
  }
  const arrived = rows.map((row) => ({ key: keyOf(row), row }))
  const lastKnown = arrived.findLastIndex(({ key }) => shownBefore.has(key))
  const come = arrived.filter(({ key }, i) => i < lastKnown && !shownBefore.has(key)).length
  const shown = arrived.map(({ key, row }, i): ShownRow<Row> => {
    // Rows after the last known row were requested with "Show more".
    const isFresh = shownBefore.get(key)?.isFresh ?? (isSameList && i < lastKnown && come <= MAX_FRESH)
    return kept({ key, row, isGone: false, isFresh })
  })
  if (!isHeld || !isSameList) return { listKey, shown: shown.slice(0, most), held: 0 }
  const present = new Map(shown.map((each) => [each.key, each]))
  const still = before.shown.map((each) => present.get(each.key) ?? kept({ ...each, isGone: true }))
  const appended = lastKnown < 0 ? [] : shown.slice(lastKnown + 1).slice(0, Math.max(0, most - still.length))
  return { listKey, shown: [...still, ...appended], held: lastKnown < 0 ? shown.length : come }
}
