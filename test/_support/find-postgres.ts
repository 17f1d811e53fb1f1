/** Finds the installation of PostgreSQL. Used by vitest.config.ts. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const DEBIAN = '/usr/lib/postgresql'

/** Returns the directory with the programs of PostgreSQL; null when PostgreSQL is not installed. */
export function findPostgres(): string | null {
  const { stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  const named = typeof stdout === 'string' ? [stdout.trim()] : []
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const directories = [...named, ...versions.map((version) => join(DEBIAN, version, 'bin'))]
  return directories.find((directory) => directory !== '' && existsSync(join(directory, 'initdb'))) ?? null
}

/** Writes one line: the tests over PostgreSQL are left out. @throws in CI, where they must run */
export function leaveOutPostgres(): void {
  const why = 'PostgreSQL is not installed (package postgresql-15)'
  if (process.env.CI) throw new Error(`${why}, but CI tests it`)
  process.stderr.write(`The tests over PostgreSQL are left out: ${why}.\n`)
}
