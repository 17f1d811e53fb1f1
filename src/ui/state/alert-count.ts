/** Counts the open alerts, for the number beside the overview. */
import { effect, signal } from '@preact/signals'
import { nowMs } from './clock.ts'
import { call, session } from './session.ts'

export const openAlerts = signal(0)

/** Reads the number every ten seconds, as long as there is a session. Alerts are no part of the event stream of every server. */
export function startAlertCount(): void {
  effect(() => {
    if (!session.value || nowMs.value === 0 || document.hidden) return
    readCount().then(
      (count) => {
        openAlerts.value = count
      },
      // The screen itself says what is wrong.
      () => {},
    )
  })
}

async function readCount(): Promise<number> {
  const { attention } = await call((api) =>
    api.GET('/admin/api/overview', { params: { query: { details: true } } }),
  )
  return attention.length
}
