/** Tests the contract of every storage driver for messages. The test of a driver calls it with a function that opens an empty store. */
import { describe } from 'vitest'
import { attemptContract } from './store-attempts.ts'
import { auditContract } from './store-audit.ts'
import { busyContract } from './store-busy.ts'
import { cancelContract } from './store-cancel.ts'
import { cancelAllContract } from './store-cancel-all.ts'
import { claimContract } from './store-claim.ts'
import { clockSetBackContract } from './store-clock-set-back.ts'
import { concurrencyContract } from './store-concurrency.ts'
import { delayContract } from './store-delays.ts'
import { eventContract } from './store-events.ts'
import { finishContract } from './store-finish.ts'
import { keyContract } from './store-keys.ts'
import { leaseContract } from './store-lease.ts'
import { limitContract } from './store-limits.ts'
import { onlyLastContract } from './store-only-last.ts'
import { openAttemptContract } from './store-open-attempts.ts'
import { parkContract } from './store-park.ts'
import { pendingDevicesContract } from './store-pending-devices.ts'
import { pollContract } from './store-poll.ts'
import { preconditionContract } from './store-preconditions.ts'
import { purgeContract } from './store-purge.ts'
import { queueContract } from './store-queue.ts'
import { reopenContract } from './store-reopen.ts'
import { repetitionContract } from './store-repetition.ts'
import { replacesContract } from './store-replaces.ts'
import { replayContract } from './store-replay.ts'
import { replayAllContract } from './store-replay-all.ts'
import { reportContract } from './store-reports.ts'
import { resendContract } from './store-resends.ts'
import { serviceContract } from './store-service.ts'
import { settingsContract } from './store-settings.ts'
import { statisticsContract } from './store-statistics.ts'
import { textContract } from './store-texts.ts'
import { transitionContract } from './store-transitions.ts'
import { twoNodeContract } from './store-two-nodes.ts'
import { twoNodeLeaseContract } from './store-two-nodes-lease.ts'
import type { OpenStore } from './store-under-test.ts'
import { validityContract } from './store-validity.ts'

export function storeContract(name: string, open: OpenStore): void {
  describe(`storage contract, ${name}`, () => {
    queueContract(open)
    limitContract(open)
    onlyLastContract(open)
    replacesContract(open)
    keyContract(open)
    transitionContract(open)
    preconditionContract(open)
    reportContract(open)
    cancelContract(open)
    cancelAllContract(open)
    pollContract(open)
    openAttemptContract(open)
    leaseContract(open)
    claimContract(open)
    attemptContract(open)
    busyContract(open)
    serviceContract(open)
    parkContract(open)
    replayContract(open)
    replayAllContract(open)
    resendContract(open)
    validityContract(open)
    finishContract(open)
    delayContract(open)
    clockSetBackContract(open)
    eventContract(open)
    pendingDevicesContract(open)
    purgeContract(open)
    settingsContract(open)
    auditContract(open)
    reopenContract(open)
    statisticsContract(open)
    textContract(open)
    concurrencyContract(open)
    repetitionContract(open)
    twoNodeContract(open)
    twoNodeLeaseContract(open)
  })
}
