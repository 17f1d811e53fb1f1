/** Counts the open alerts, for the number beside the overview. */
import { effect, signal } from '@preact/signals'
import { isStreamStart, onLiveEvent } from './live.ts'
import { call, session } from './session.ts'

export const openAlerts = signal(0)

/** Keeps the number up to date during a session. */
export function startAlertCount(): void {
  onLiveEvent((event) => {
    if (event.event === 'alert') openAlerts.value = (event.data as { open: number }).open
    else if (isStreamStart(event)) void readCount()
  })
  effect(() => {
    if (session.value) void readCount()
    else openAlerts.value = 0
  })
}

/** Reads the number. An error leaves it unchanged, because the screen itself reports problems. */
async function readCount(): Promise<void> {
  try {
    const { open } = await call((api) => api.GET('/admin/api/alerts', { params: { query: { limit: 1 } } }))
    openAlerts.value = open
  } catch {}
}
