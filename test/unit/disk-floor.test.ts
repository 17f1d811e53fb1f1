/** The floor of free bytes: which submits it refuses, and what the log says. */
import { expect, test, vi } from 'vitest'
import { DiskFloor, MIN_FREE_BYTES } from '../../src/broker/engine/disk-floor.ts'
import { HeldClock } from '../_support/clock.ts'

/** A floor over a disk whose free bytes the test sets. */
function floorOver(free: { bytes: number | null }) {
  const lines: [level: string, fields: object][] = []
  const clock = new HeldClock()
  const floor = new DiskFloor({
    freeBytes: async () => {
      if (free.bytes === null) throw new Error('the disk cannot be read')
      return free.bytes
    },
    log: {
      info: (fields) => lines.push(['info', fields]),
      error: (fields) => lines.push(['error', fields]),
    },
    clock,
  })
  return { floor, clock, lines }
}

const REFUSED = expect.objectContaining({ code: 'storage-full' })

test('disk floor: room, no room, room → submits pass, are refused, pass; one line for the beginning and one for the end', async () => {
  const free = { bytes: MIN_FREE_BYTES as number | null }
  const { floor, clock, lines } = floorOver(free)
  await floor.read()
  floor.check()
  expect(lines).toEqual([])

  free.bytes = MIN_FREE_BYTES - 1
  await floor.read()
  await floor.read()
  for (let n = 0; n < 3; n++) expect(() => floor.check()).toThrow(REFUSED)
  clock.advance(20_000)
  free.bytes = MIN_FREE_BYTES
  await floor.read()
  await floor.read()
  floor.check()
  const code = 'storage-full'
  expect(lines).toEqual([
    ['error', { code, freeBytes: MIN_FREE_BYTES - 1, minFreeBytes: MIN_FREE_BYTES }],
    ['info', { code, freeBytes: MIN_FREE_BYTES, seconds: 20, refused: 3 }],
  ])
})

test('disk floor: no room at the start → the first submit is refused', async () => {
  const { floor } = floorOver({ bytes: 0 })
  await floor.start()
  expect(() => floor.check()).toThrow(REFUSED)
  floor.close()
})

test('disk floor: the free bytes cannot be read → the state stays', async () => {
  const free = { bytes: null as number | null }
  const { floor, lines } = floorOver(free)
  await floor.read()
  floor.check()
  free.bytes = 0
  await floor.read()
  free.bytes = null
  await floor.read()
  expect(() => floor.check()).toThrow(REFUSED)
  expect(lines).toHaveLength(1)
})

test('disk floor: the storage does not know its disk → submits pass, and it is not asked again', async () => {
  vi.useFakeTimers()
  try {
    const freeBytes = vi.fn(async () => null)
    const floor = new DiskFloor({ freeBytes, log: { info() {}, error() {} } })
    await floor.start()
    await vi.advanceTimersByTimeAsync(60_000)
    floor.check()
    expect(freeBytes).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

test('disk floor: a quota is used up, although bytes are free → one line for the beginning, and one for the end', async () => {
  const { floor, clock, lines } = floorOver({ bytes: MIN_FREE_BYTES * 2 })
  floor.refused(2)
  floor.refused(1)
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  await floor.read()
  floor.check()
  clock.advance(30_000)
  floor.stored()
  await floor.read()
  const fields = { code: 'storage-full', freeBytes: MIN_FREE_BYTES * 2 }
  expect(lines).toEqual([
    ['error', { ...fields, minFreeBytes: MIN_FREE_BYTES }],
    ['info', { ...fields, seconds: 30, refused: 3 }],
  ])
})
