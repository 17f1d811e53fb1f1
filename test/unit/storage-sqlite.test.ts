/** The SQLite driver: the contracts beside the messages. */

import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { openIn } from '../_support/store.ts'
import { storageContract } from '../contract/storage.ts'

storageContract('sqlite', () => {
  const clock = new HeldClock()
  const directory = temporaryDirectory()
  let storage = openIn(directory, { clock })
  whenDone(() => storage.close())
  return {
    storage,
    clock,
    async reopen() {
      await storage.close()
      storage = openIn(directory, { clock })
      return storage
    },
  }
})
