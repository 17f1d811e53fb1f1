/** Live changes: one event stream for the whole page, while somebody is signed in. */
import { effect, signal } from '@preact/signals'
import { type LiveEvent, pause, RequestError } from '../../client/index.ts'
import { type Session, session, signOut } from './session.ts'

export type LiveState = 'connecting' | 'live' | 'reconnecting'

export const liveState = signal<LiveState>('connecting')

/** Something changed: a message, a connection, or ({@link isStart}) anything at all. */
export type Listener = (event: LiveEvent) => void

const listeners = new Set<Listener>()
/** After a refusal: the server has too many streams, or is not there yet. */
const RETRY_MS = 5_000

/** @returns stops listening */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

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

export function messageChange(event: LiveEvent): MessageChange | null {
  return event.event === 'message' ? (event.data as MessageChange) : null
}

/** The stream begins here, or begins anew: what was read before may have changed meanwhile. */
export function isStart({ event }: LiveEvent): boolean {
  return event === 'ready' || event === 'gap'
}

/** True where a change is about this device, or about anybody. */
export function concerns(event: LiveEvent, deviceId: string): boolean {
  const { deviseId } = event.data as { deviseId?: string }
  return isStart(event) || deviseId === deviceId
}
