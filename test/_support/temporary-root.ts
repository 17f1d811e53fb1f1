/** Global setup: creates the directory of all temporary directories of the run, and removes it at the end. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import './provided.ts'

export function setup(project: TestProject): () => void {
  const root = mkdtempSync(join(project.name === 'system' ? tmpdir() : fastest(), 'waybill-test-'))
  project.provide('temporaryRoot', root)
  return () => rmSync(root, { recursive: true, force: true })
}

/** File system in memory, if the system has one with enough room. */
const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 1_073_741_824

/**
 * Returns the fastest file system for temporary files. A disk sync takes milliseconds, and the tests of the fast tier
 * make thousands. The system tier uses a real disk.
 */
function fastest(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
