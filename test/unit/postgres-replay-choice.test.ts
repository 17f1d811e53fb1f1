/** The choice of parked messages that one call replays. */
import { describe, expect, test } from 'vitest'
import { chooseReplays, type ParkedMessage } from '../../src/store/postgres/messages/replay-choice.ts'

const parked = (id: number, parts: Partial<ParkedMessage> = {}): ParkedMessage => ({
  ...{ id, deviceId: 'pump', bytes: 10, isExpired: false },
  ...parts,
})
const limits = (messages: number, bytes = 0) => ({ messages, bytes })

describe('chooseReplays', () => {
  const choose = (
    messages: readonly ParkedMessage[],
    { queue = {}, limit = 100, of = limits(100) } = {} as {
      queue?: Record<string, { messages: number; bytes: number }>
      limit?: number
      of?: { messages: number; bytes: number }
    },
  ) => {
    const { chosen, left, skipped } = chooseReplays(messages, new Map(Object.entries(queue)), () => of, limit)
    return { ids: chosen.map(({ id }) => id), left, skipped }
  }

  test('chooseReplays: more than the limit → the oldest, and the number of the others', () => {
    expect(choose([parked(1), parked(2), parked(3)], { limit: 2 })).toEqual({
      ids: [1, 2],
      left: 1,
      skipped: 0,
    })
  })

  test('chooseReplays: an ended validity → skipped', () => {
    expect(choose([parked(1, { isExpired: true }), parked(2)])).toEqual({ ids: [2], left: 0, skipped: 1 })
  })

  test('chooseReplays: the chosen messages fill the queue → the others of that device are skipped', () => {
    const queue = { pump: { messages: 1, bytes: 10 } }
    const messages = [parked(1), parked(2), parked(3, { deviceId: 'valve' })]
    expect(choose(messages, { queue, of: limits(2) })).toEqual({ ids: [1, 3], left: 0, skipped: 1 })
    expect(choose(messages, { queue, of: limits(9, 20) })).toEqual({ ids: [1, 3], left: 0, skipped: 1 })
  })

  test('chooseReplays: an empty queue → any message fits', () => {
    expect(choose([parked(1, { bytes: 99 })], { of: limits(0, 1) })).toEqual({
      ids: [1],
      left: 0,
      skipped: 0,
    })
  })
})
