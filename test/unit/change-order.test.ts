/** The order of changes: an overtaken change is known as such, also behind many changes of other subjects. */
import { expect, test } from 'vitest'
import { ChangeOrder } from '../../src/broker/vocabulary/change-order.ts'

test('change order: a later change, an older one, the same one → only the later one is the newest', () => {
  const order = new ChangeOrder<string>()
  expect(order.isNewest('pump', null)).toBe(true)
  expect(order.isNewest('pump', 4)).toBe(true)
  expect(order.isNewest('pump', 3)).toBe(false)
  expect(order.isNewest('pump', 4)).toBe(false)
  expect(order.isNewest('pump', null)).toBe(false)
  expect(order.isNewest('valve', 1)).toBe(true)
  expect(order.isNewest('pump', 5)).toBe(true)
})

test('change order: 25,000 changes of other subjects → an overtaken change is still known', () => {
  const order = new ChangeOrder<number>()
  order.isNewest(0, 2)
  for (let subject = 1; subject <= 25_000; subject++) order.isNewest(subject, 1)
  expect(order.isNewest(0, 1)).toBe(false)
})
