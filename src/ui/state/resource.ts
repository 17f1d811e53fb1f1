/** Reads the content of a screen from the server: at first, after live changes, and on demand. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LiveEvent } from '../../client/index.ts'
import { keeper, keptValue } from './history.ts'
import { isStreamStart, onLiveEvent } from './live.ts'

export interface Resource<T> {
  /** Value of the last successful read; undefined before the first. It stays during another read. */
  readonly value: T | undefined
  /** Error of the last read; null if the read succeeded. */
  readonly error: Error | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Milliseconds between two reloads during a burst of changes. */
const RELOAD_INTERVAL_MS = 1_000

interface State<T> {
  readonly key: string
  readonly value?: T
  readonly error: Error | null
  readonly isLoading: boolean
}

/** Returns the value kept by the current entry of the browser's history, so that Back shows it at once. */
function firstState<T>(key: string): State<T> {
  const value = keptValue<T>(`resource/${key}`)
  return { key, error: null, isLoading: true, ...(value !== undefined && { value }) }
}

/**
 * Reads a value, and reads it again after each live change that affects it.
 *
 * @param key names the value; another key drops the value of the old key
 * @param isAffected returns whether a live change affects the value
 */
export function useResource<T>(
  key: string,
  load: () => Promise<T>,
  isAffected: (event: LiveEvent) => boolean = () => false,
): Resource<T> {
  const [state, setState] = useState<State<T>>(() => firstState(key))
  const latest = useRef({ load, isAffected, request: 0 })
  latest.current.load = load
  latest.current.isAffected = isAffected

  const reload = (): void => {
    const request = ++latest.current.request
    const keep = keeper()
    const settle = (change: Partial<State<T>>): void => {
      if (request !== latest.current.request) return
      setState((before) => ({
        ...(before.key === key ? before : { key, error: null }),
        ...change,
        isLoading: false,
      }))
    }
    setState((before) => (before.key === key ? { ...before, isLoading: true } : firstState(key)))
    latest.current.load().then(
      (value) => {
        keep(`resource/${key}`, value)
        settle({ value, error: null })
      },
      (error: Error) => settle({ error }),
    )
  }

  useEffect(() => {
    reload()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent((event) => {
      if (!isStreamStart(event) && !latest.current.isAffected(event)) return
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, RELOAD_INTERVAL_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
      // Drops the answer of a pending request.
      latest.current.request++
    }
  }, [key])

  const { value, error, isLoading } = state.key === key ? state : firstState<T>(key)
  return { value, error, isLoading, reload }
}
