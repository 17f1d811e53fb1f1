/** Many writes in one transaction: what arrives while one is synced is in the next. Knows no server. */

/**
 * @param write stores one item
 * @param done told of each item once it is on disk
 * @returns a function that takes an item, and one that tells whether none waits
 */
export function groupCommit(db, write, done) {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  let waiting = []

  function flush() {
    const batch = waiting
    waiting = []
    begin.run()
    for (const item of batch) write(item)
    commit.run()
    for (const item of batch) done(item)
  }

  return {
    write: (item) => {
      if (waiting.push(item) === 1) setImmediate(flush)
    },
    isIdle: () => waiting.length === 0,
  }
}
