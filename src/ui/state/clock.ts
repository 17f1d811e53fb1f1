/** The time, for what says how long ago something was. */
import { signal } from '@preact/signals'

export const nowMs = signal(Date.now())

setInterval(() => {
  nowMs.value = Date.now()
}, 10_000)
