/** The write-ahead log under tens of megabytes: checkpoints keep it small, and one that fails is repeated. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { CHECKPOINT_PAGES } from '../../src/store/sqlite/database/wal-sync.ts'
import { openWriter, type WriterUnderTest } from '../_support/writer.ts'

let { path, other, writer, failures, add, seenByOthers } = {} as WriterUnderTest

beforeEach(() => {
  ;({ path, other, writer, failures, add, seenByOthers } = openWriter())
})

describe('write-ahead log', () => {
  const fill = async (megabytes: number): Promise<void> => {
    for (let n = 0; n < megabytes; n++) await writer.write(add(randomBytes(500_000).toString('hex')))
  }
  const logBytes = (): number => statSync(`${path}-wal`).size

  test('60 MB are written → checkpoints keep it small', async () => {
    await fill(60)

    expect(logBytes()).toBeLessThan(2 * CHECKPOINT_PAGES * 4_096)
    expect(statSync(path).size).toBeGreaterThan(40_000_000)
    expect(seenByOthers()).toHaveLength(60)
  })

  test('another program reads → it grows only meanwhile', async () => {
    await writer.write(add('first'))
    other.exec('BEGIN')
    seenByOthers()
    await fill(40)
    expect(logBytes()).toBeGreaterThan(2 * CHECKPOINT_PAGES * 4_096)
    other.exec('COMMIT')
    await fill(60)

    expect(logBytes()).toBeLessThan(80_000_000)
    expect(seenByOthers()).toHaveLength(101)
  })
})

describe('a checkpoint that cannot open the database', () => {
  test('300 writes are pending → all are stored; it can be opened again → a later checkpoint', async () => {
    // The next attempt to open the database finds a directory.
    renameSync(path, `${path}.moved`)
    mkdirSync(path)
    const large = 'x'.repeat(2 * CHECKPOINT_PAGES * 4_096)
    await writer.write(add(large))
    await Promise.all(Array.from({ length: 300 }, (_, n) => writer.write(add(String(n)))))
    expect(seenByOthers()).toHaveLength(301)
    expect(statSync(`${path}.moved`).size).toBeLessThan(large.length)

    rmdirSync(path)
    renameSync(`${path}.moved`, path)
    await writer.write(add(`${large}y`))
    await writer.write(add('last'))
    expect(statSync(path).size).toBeGreaterThan(large.length)
    expect(failures).toEqual([])
  })
})
