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
    file: 'client-password.test.ts',
    why: 'it works on a data directory; test/system/nodes.test.ts has it over PostgreSQL',
  },
  {
    file: 'admin-system.test.ts',
    tests: /^backup/,
    why: 'backups of PostgreSQL are made with its own tools',
  },
]

/** Returns the reason why a test is left out over PostgreSQL; null when it runs. */
export function whySqliteOnly(path: string, name: string): string | null {
  const found = SQLITE_ONLY.find(
    ({ file, tests }) => path.endsWith(`/${file}`) && (tests === undefined || tests.test(name)),
  )
  return found?.why ?? null
}
