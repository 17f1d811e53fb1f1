/** Provides the current time for relative times on the page. It advances every ten seconds. */
import { computed, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export const nowMs = signal(Date.now())
/** Current day, which changes at midnight. */
export const today = computed(() => new Date(nowMs.value).toDateString())

setInterval(() => {
  nowMs.value = Date.now()
}, 10_000)

/** Calls `reload` every ten seconds, for values whose changes cause no live events. */
export function useEachTick(reload: () => void): void {
  const now = nowMs.value
  const last = useRef(now)
  useEffect(() => {
    if (last.current === now) return
    last.current = now
    reload()
  }, [now])
}
