/** Follows live changes with one event stream for the whole page, as long as there is a session. */
import { effect, signal } from '@preact/signals'
import { type LiveEvent, pause, RequestError } from '../../client/index.ts'
import { type Session, session, signOut } from './session.ts'

export type LiveState = 'connecting' | 'live' | 'reconnecting'

export const liveState = signal<LiveState>('connecting')

/** Called with each change of a message or a connection, and when the stream starts ({@link isStreamStart}). */
export type Listener = (event: LiveEvent) => void

const listeners = new Set<Listener>()
/** Milliseconds between attempts when the server has too many streams or cannot be reached. */
const RETRY_MS = 5_000

/** Calls the listener with each live event. @returns a function that removes the listener */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Opens the event stream when a session begins, and closes it when the session ends. */
export function startLive(): void {
  effect(() => {
    const current = session.value
    if (!current) return
    const stop = new AbortController()
    void follow(current, stop.signal)
    return () => stop.abort()
  })
}

async function follow({ client }: Session, signal: AbortSignal): Promise<void> {
  liveState.value = 'connecting'
  const onState = (state: 'open' | 'lost'): void => {
    liveState.value = state === 'open' ? 'live' : 'reconnecting'
  }
  while (!signal.aborted) {
    try {
      for await (const event of client.subscribe({ signal, onState })) {
        for (const listener of listeners) listener(event)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RequestError && error.status === 401) return signOut({ expired: true })
      liveState.value = 'reconnecting'
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

/** Returns the change of a message that an event reports, or null for other events. */
export function messageChange(event: LiveEvent): MessageChange | null {
  return event.event === 'message' ? (event.data as MessageChange) : null
}

/** Tells whether the stream starts or has lost events, so that everything read before has to be read again. */
export function isStreamStart({ event }: LiveEvent): boolean {
  return event === 'ready' || event === 'gap'
}

/** Tells whether an event may concern a device: a change of this device, or a start of the stream. */
export function concernsDevice(event: LiveEvent, deviceId: string): boolean {
  const { deviseId } = event.data as { deviseId?: string }
  return isStreamStart(event) || deviseId === deviceId
}
