/** What every storage driver promises about messages. A driver's own test calls it with a way to open a fresh store. */
import { describe } from 'vitest'
import { concurrencyContract, purgeContract, textContract } from './store-keeping.ts'
import { moveContract } from './store-moves.ts'
import { idContract, onlyLastContract, queueContract } from './store-queue.ts'
import type { OpenStore } from './store-under-test.ts'

export function storeContract(name: string, open: OpenStore): void {
  describe(`storage contract, ${name}`, () => {
    idContract(open)
    queueContract(open)
    onlyLastContract(open)
    moveContract(open)
    purgeContract(open)
    textContract(open)
    concurrencyContract(open)
  })
}
