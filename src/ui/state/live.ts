/** Follows live changes with one event stream for the whole page, while there is a session and the page is visible. */
import { computed, effect, signal } from '@preact/signals'
import { type LiveEvent, pause, RequestError } from '../../client/index.ts'
import { clientOf, type Session, session, signOut } from './session.ts'

/**
 * - `connecting`: there is no stream yet, or not again
 * - `live`: changes appear
 * - `paused`: the user froze the list
 * - `stale`: the content may be outdated
 */
export type LiveState = 'connecting' | 'live' | 'paused' | 'stale'

/** True while the user has paused the list of the screen. */
export const isPaused = signal(false)
/** Time since when nothing arrives; null while changes arrive, or for less than some seconds. */
export const staleSinceMs = signal<number | null>(null)
const isOpen = signal(false)

export const liveState = computed<LiveState>(() => {
  if (staleSinceMs.value !== null) return 'stale'
  if (!isOpen.value) return 'connecting'
  return isPaused.value ? 'paused' : 'live'
})

/** Called with each change of a message or a connection, and when the stream starts ({@link isStreamStart}). */
export type Listener = (event: LiveEvent) => void

const listeners = new Set<Listener>()
/** Milliseconds between attempts if the server has too many streams or cannot be reached. */
const RETRY_MS = 5_000
/** Milliseconds without a stream after which the page is stale. */
const LOST_MS = 3_000
/** Milliseconds without a byte after which the page is stale. The server sends something every five seconds. */
const SILENT_MS = 15_000
/**
 * Milliseconds after which a hidden page closes its stream. A browser has six connections to an HTTP/1.1 server: with a
 * stream per tab, the seventh tab could read nothing.
 */
const HIDDEN_MS = 60_000

const EVENTS = ['message', 'connection', 'alert', 'bulk', 'incident'] as const

const attempts = signal(0)
const isShown = signal(true)

/** Calls the listener with each live event. @returns a function that unsubscribes */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Opens the event stream when a session begins, and closes it when the session ends or the page is hidden for a minute.
 */
export function startLive(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (!document.hidden) isShown.value = true
    else
      timer = setTimeout(() => {
        isShown.value = false
      }, HIDDEN_MS)
  })
  effect(() => {
    const current = session.value
    if (!current || !isShown.value || attempts.value < 0) {
      staleSinceMs.value = null
      return
    }
    const stop = new AbortController()
    void follow(current, stop.signal)
    return () => {
      stop.abort()
      clearTimeout(staleTimer)
      isOpen.value = false
    }
  })
}

/** Connects at once, without the pause between two attempts. */
export function retryLive(): void {
  attempts.value++
}

let staleTimer: ReturnType<typeof setTimeout> | undefined

/** Marks the page as stale if nothing happens for some time. */
function expectWithin(ms: number): void {
  const sinceMs = Date.now()
  clearTimeout(staleTimer)
  staleTimer = setTimeout(() => {
    staleSinceMs.value = sinceMs
  }, ms)
}

async function follow(current: Session, signal: AbortSignal): Promise<void> {
  const client = clientOf(current)
  const onActivity = (): void => {
    staleSinceMs.value = null
    expectWithin(SILENT_MS)
  }
  const onState = (state: 'open' | 'lost'): void => {
    if (state === 'open') onActivity()
    // Each failed attempt to reconnect reports the loss once more.
    else if (isOpen.peek()) expectWithin(LOST_MS)
    isOpen.value = state === 'open'
  }
  if (staleSinceMs.peek() === null) expectWithin(LOST_MS)
  while (!signal.aborted) {
    try {
      for await (const event of client.subscribe({
        signal,
        onState,
        onActivity,
        details: true,
        events: EVENTS,
      })) {
        for (const listener of listeners) listener(event)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RequestError && error.status === 401) return signOut({ expired: true })
      onState('lost')
    }
    await pause(RETRY_MS, signal)
  }
}

export interface MessageChange {
  readonly id: number
  readonly deviseId: string
  readonly deliveryStatus: string
}

export interface ConnectionChange {
  readonly deviseId: string
  readonly connected: boolean
  readonly transport: string
  readonly date: number
}

/** Returns the change of a message that an event reports; null for other events. */
export function messageChange(event: LiveEvent): MessageChange | null {
  return event.event === 'message' ? (event.data as MessageChange) : null
}

/** Returns whether the stream starts or has lost events, so that everything has to be read again. */
export function isStreamStart({ event }: LiveEvent): boolean {
  return event === 'ready' || event === 'gap'
}

/** Returns whether an event may concern a device: a change of this device, or a start of the stream. */
export function concernsDevice(event: LiveEvent, deviceId: string): boolean {
  const { deviseId } = event.data as { deviseId?: string }
  return isStreamStart(event) || deviseId === deviceId
}
