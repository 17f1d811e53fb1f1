/** Messages of a connection pass in their order, while retained ones are being stored. */
import { expect, test } from 'vitest'
import type { Peer } from '../../src/mqtt/aedes-internals.ts'
import { RetainOrder } from '../../src/mqtt/retain-order.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a message behind one that is being stored → it waits; one of another connection passes at once', async () => {
  const order = new RetainOrder()
  const [one, other] = [{} as Peer, {} as Peer]
  const passed: unknown[] = []
  let stored = (_: boolean): void => {}
  const storing = new Promise<boolean>((resolve) => {
    stored = resolve
  })
  expect(order.pass(one, null, () => passed.push('at once'))).toBeNull()
  void order.pass(one, storing, (isStored) => passed.push(['retained', isStored]))
  void order.pass(one, null, (isStored) => passed.push(['behind', isStored]))
  expect(order.pass(other, null, () => passed.push('other'))).toBeNull()
  await turn()
  expect(passed).toEqual(['at once', 'other'])
  stored(false)
  await turn()
  expect(passed.slice(2)).toEqual([
    ['retained', false],
    ['behind', true],
  ])
  expect(order.pass(one, null, () => passed.push('after'))).toBeNull()
})
