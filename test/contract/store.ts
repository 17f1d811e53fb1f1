/** Tests the contract of every storage driver for messages. The test of a driver calls it with a function that opens an empty store. */
import { describe } from 'vitest'
import { cancelContract } from './store-cancel.ts'
import { claimContract } from './store-claim.ts'
import { concurrencyContract } from './store-concurrency.ts'
import { eventContract } from './store-events.ts'
import { leaseContract } from './store-lease.ts'
import { onlyLastContract } from './store-only-last.ts'
import { pollContract } from './store-poll.ts'
import { purgeContract } from './store-purge.ts'
import { queueContract } from './store-queue.ts'
import { repetitionContract } from './store-repetition.ts'
import { settingsContract } from './store-settings.ts'
import { textContract } from './store-texts.ts'
import { transitionContract } from './store-transitions.ts'
import { twoNodeContract } from './store-two-nodes.ts'
import { twoNodeLeaseContract } from './store-two-nodes-lease.ts'
import type { OpenStore } from './store-under-test.ts'

export function storeContract(name: string, open: OpenStore): void {
  describe(`storage contract, ${name}`, () => {
    queueContract(open)
    onlyLastContract(open)
    transitionContract(open)
    cancelContract(open)
    pollContract(open)
    leaseContract(open)
    claimContract(open)
    eventContract(open)
    purgeContract(open)
    settingsContract(open)
    textContract(open)
    concurrencyContract(open)
    repetitionContract(open)
    twoNodeContract(open)
    twoNodeLeaseContract(open)
  })
}
