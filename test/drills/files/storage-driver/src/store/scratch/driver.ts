/** Keeps everything until the stop, for trials: SQLite in a directory that is then removed. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreDriver, StoreOptions } from '../driver.ts'
import { openStorage } from '../sqlite/database.ts'
import type { Storage } from '../storage.ts'

const FORM = 'scratch://NAME'

export const SCRATCH: StoreDriver = {
  schemes: ['scratch'],
  form: FORM,
  meaning: `a storage that lasts until the stop, for trials: ${FORM}`,
  problem: (url) => (/^scratch:\/\/[a-z0-9-]+$/.test(url) ? null : `expected ${FORM}`),
  shown: (url) => url,
  tools: () => 'a trial has nothing to back up',
  open: openScratch,
}

async function openScratch(_url: string, options: StoreOptions): Promise<Storage> {
  const directory = mkdtempSync(join(tmpdir(), 'waybill-scratch-'))
  const storage = openStorage({ ...options, directory })
  return {
    ...storage,
    async close() {
      await storage.close()
      await rm(directory, { recursive: true })
    },
  }
}
