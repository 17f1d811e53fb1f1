/** Holds the rows of a table still while somebody uses them: cells update in place, and rows come and go later. */

export interface ShownRow<Row> {
  readonly key: string
  readonly row: Row
  /** True if the list no longer has the row. It stays until the table is released. */
  readonly isGone: boolean
  /** True if the row came while the list was shown. */
  readonly isFresh: boolean
}

export interface LiveRows<Row> {
  readonly listKey: string
  readonly shown: readonly ShownRow<Row>[]
  /** Number of rows that wait for the release of the table. */
  readonly held: number
}

interface Incoming<Row> {
  /** Names filters and sort: rows under another key replace all at once. */
  readonly listKey: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly isHeld: boolean
}

/** Returns the rows to show after the list has changed. */
export function nextRows<Row>(before: LiveRows<Row> | null, incoming: Incoming<Row>): LiveRows<Row> {
  const { listKey, rows, keyOf, isHeld } = incoming
  const isSameList = before?.listKey === listKey && before.shown.length > 0
  const shownBefore = new Map(isSameList ? before.shown.map((each) => [each.key, each]) : [])
  const arrived = rows.map((row) => ({ key: keyOf(row), row }))
  const lastKnown = arrived.findLastIndex(({ key }) => shownBefore.has(key))
  const shown = arrived.map(({ key, row }, i): ShownRow<Row> => {
    // Rows after the last known one were asked for with "Show more".
    const isFresh = shownBefore.get(key)?.isFresh ?? (isSameList && i < lastKnown)
    return { key, row, isGone: false, isFresh }
  })
  if (!isHeld || !isSameList) return { listKey, shown, held: 0 }
  const present = new Map(shown.map((each) => [each.key, each]))
  const kept = before.shown.map((each) => present.get(each.key) ?? { ...each, isGone: true })
  const appended = lastKnown < 0 ? [] : shown.slice(lastKnown + 1)
  const held = shown.slice(0, Math.max(lastKnown, 0)).filter(({ key }) => !shownBefore.has(key)).length
  return { listKey, shown: [...kept, ...appended], held: lastKnown < 0 ? shown.length : held }
}
