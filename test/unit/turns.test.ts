/** Expensive reads run one after the other, each in a turn of its own. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from '../../src/broker/views/turns.ts'

test('turns: three reads at once → each in another turn of the event loop', async () => {
  const turns = new Turns()
  let now = 0
  let isDone = false
  const counted = (async () => {
    for (; !isDone && now < 100; now++) await turn()
  })()
  const began = await Promise.all([1, 2, 3].map(() => turns.run(async () => now)))
  isDone = true
  await counted

  expect(new Set(began)).toHaveLength(3)
})

test('turns: a read fails → its caller has the error, and the next read runs', async () => {
  const turns = new Turns()
  const failed = turns.run(() => Promise.reject(new Error('no disk')))
  const next = turns.run(async () => 'found')

  await expect(failed).rejects.toThrow('no disk')
  expect(await next).toBe('found')
})
