/** Storage drivers for random schedules: with their data, and ready to be reopened. */

import type { MessageStore } from '../../src/broker/contract/store.ts'
import { attemptDurations } from '../../src/broker/vocabulary/attempts.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { TIMEOUT_MS } from './device-model.ts'
import { TemporaryStore } from './store.ts'

/** Driver with its data, which can be closed and reopened. */
export interface Driver {
  readonly messages: MessageStore
  /** True if calls take effect in the order in which they are made. */
  readonly keepsOrder: boolean
  reopen(): Promise<void>
  /** Returns the recorded attempts of a device in order; undefined if the driver has no times of attempts. */
  attempts?(deviceId: string): { readonly id: number; readonly atMs: number }[]
}

export class SqliteDriver implements Driver {
  readonly keepsOrder = true
  // The durations of the broker also hold for attempts that began before a restart.
  readonly #store = new TemporaryStore({ durationsMs: attemptDurations(TIMEOUT_MS) })

  get messages(): MessageStore {
    return this.#store.messages
  }

  reopen(): Promise<void> {
    return this.#store.reopen()
  }

  attempts(deviceId: string): { id: number; atMs: number }[] {
    return this.#store.rows(
      `SELECT message_id AS id, at_ms AS atMs FROM attempts JOIN messages ON id = message_id
       WHERE device_id = ? ORDER BY at_ms, message_id`,
      deviceId,
    )
  }
}

export class MemoryDriver implements Driver {
  readonly keepsOrder = false
  messages: MemoryStore

  constructor(random: () => number) {
    this.messages = openMemory({ clock: systemClock, random })
  }

  async reopen(): Promise<void> {
    const next = this.messages.second()
    this.messages.close()
    this.messages = next
  }
}
