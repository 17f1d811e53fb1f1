/** Global setup: starts the PostgreSQL server of the run, on a socket in a temporary directory, and removes it at the end. */
import type { TestProject } from 'vitest/node'
import { PostgresServer } from './postgres.ts'
import './provided.ts'

export function setup(project: TestProject): () => void {
  const server = new PostgresServer([
    'fsync = off',
    'max_connections = 500',
    'max_locks_per_transaction = 256',
  ])
  project.provide('postgres', server.directory)
  return () => server.remove()
}
