/** Lists the server tests that are about SQLite. The project `postgres` leaves them out, and names the reason. */

interface SqliteOnly {
  readonly file: string
  /** Tests of the file whose names match; all of them without a pattern. */
  readonly tests?: RegExp
  readonly why: string
}

const SQLITE_ONLY: readonly SqliteOnly[] = [
  { file: 'db-backup.test.ts', why: 'waybill db serves SQLite' },
  { file: 'db-check.test.ts', why: 'waybill db serves SQLite' },
  { file: 'db-recover.test.ts', why: 'waybill db serves SQLite' },
  {
    file: 'admin-presence.test.ts',
    why: 'it holds the clock of the store; the storage contract has it over PostgreSQL',
  },
  {
    file: 'admin-device-log.test.ts',
    tests: /^device log: a device asks for pauses/,
    why: 'it holds the clock of the store',
  },
  { file: 'files-gone.test.ts', why: 'the files are those of SQLite' },
  {
    file: 'client-password.test.ts',
    why: 'it works on a data directory; test/system/nodes.test.ts has it over PostgreSQL',
  },
  {
    file: 'upgrade.test.ts',
    why: 'it appends a step to the schema of SQLite, and waybill db serves SQLite',
  },
  { file: 'releases.test.ts', why: 'the kept data directories are those of SQLite' },
  { file: 'admin-system.test.ts', why: 'backups and sizes are those of the SQLite file' },
  { file: 'admin-messages.test.ts', tests: /^restart: after a crash/, why: 'it copies the data directory' },
  { file: 'mqtt-delivery.test.ts', tests: /^crash: /, why: 'it copies the data directory' },
  { file: 'mqtt-delivery.test.ts', tests: /database is locked/, why: 'a lock of the SQLite file' },
  { file: 'health.test.ts', tests: /^disk: /, why: 'nodes do not see the disk of PostgreSQL' },
  {
    file: 'metrics.test.ts',
    tests: /^a disk that cannot be read/,
    why: 'nodes do not see the disk of PostgreSQL',
  },
  {
    file: 'rest-attempts.test.ts',
    tests: /^(?:its time|the attempt of the younger one)/,
    why: 'it holds the clock of the store; the storage contract and test/system/nodes.test.ts have it over PostgreSQL',
  },
  {
    file: 'audit-operations.test.ts',
    tests: /backup/,
    why: 'backups of PostgreSQL are made with its own tools',
  },
  {
    file: 'api-description.test.ts',
    tests: /backup/,
    why: 'backups of PostgreSQL are made with its own tools',
  },
  {
    file: 'admin-csv.test.ts',
    tests: /its id after a restart/,
    why: 'reports of imports are those of all nodes, and outlive one',
  },
  ...['cluster-messages.test.ts', 'cluster-sessions.test.ts', 'cluster-telemetry.test.ts'].map((file) => ({
    file,
    why: 'nodes of one process share memory there; test/system/cluster-*.test.ts have two over PostgreSQL',
  })),
  {
    file: 'handover.test.ts',
    tests: /^hand-over: (?:a night|Accept|an incident)/,
    why: 'it holds the clock of the store, or waits for the recorder; the storage contract has its rows over PostgreSQL',
  },
  { file: 'api-keys.test.ts', tests: /no key is left$|without the key$/, why: 'it reads the SQLite file' },
]

/** Returns the reason why a test is left out over PostgreSQL; null when it runs. */
export function whySqliteOnly(path: string, name: string): string | null {
  const found = SQLITE_ONLY.find(
    ({ file, tests }) => path.endsWith(`/${file}`) && (tests === undefined || tests.test(name)),
  )
  return found?.why ?? null
}
