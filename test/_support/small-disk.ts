/** Mounts small disks in memory, for tests of a full disk. Requires a user who may mount one. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, whenDone } from './cleanup.ts'

export const NO_SMALL_DISK = 'only a user who may mount a small disk can fill one up'

/**
 * Mounts a disk of some megabytes in a directory until the end of the test. Returns null if this user may not mount
 * one.
 */
export function mountSmallDisk(megabytes: number, directory = temporaryDirectory()): string | null {
  const path = join(directory, 'disk')
  mkdirSync(path)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  if (mounted.status !== 0) return null
  whenDone(() => spawnSync('umount', ['--lazy', path]))
  return path
}

const BLOCK = Buffer.alloc(4096)

/**
 * Writes a file on a disk: of some bytes, or by default until the disk is full. Returns a function that frees the
 * space.
 */
export function fill(disk: string, bytes = Number.POSITIVE_INFINITY): () => void {
  const path = join(disk, 'filler')
  const file = openSync(path, 'w')
  try {
    for (let written = 0; written < bytes; written += BLOCK.length) writeSync(file, BLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}
