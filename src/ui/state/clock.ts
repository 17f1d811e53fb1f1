/** The time, for what says how long ago something was. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export const nowMs = signal(Date.now())

setInterval(() => {
  nowMs.value = Date.now()
}, 10_000)

/** Again and again: for what the live changes do not tell. */
export function useEachTick(reload: () => void): void {
  const now = nowMs.value
  const last = useRef(now)
  useEffect(() => {
    if (last.current === now) return
    last.current = now
    reload()
  }, [now])
}
