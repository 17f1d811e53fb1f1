/** What a screen shows comes from the server: read at first, after a change, and again on demand. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LiveEvent } from '../../client/index.ts'
import { isStart, onChange } from './live.ts'

export interface Resource<T> {
  /** The last that was read; undefined before that. It stays while it is read anew. */
  readonly value: T | undefined
  /** What the last attempt ended with; null when it went well. */
  readonly error: Error | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Changes come in bursts; the screen follows them at this pace. */
const PACE_MS = 1_000

interface State<T> {
  readonly key: string
  readonly value?: T
  readonly error: Error | null
  readonly isLoading: boolean
}

/**
 * @param key names what is read: another key is another thing
 * @param isAffected which live changes ask for reading it anew
 */
export function useResource<T>(
  key: string,
  load: () => Promise<T>,
  isAffected: (event: LiveEvent) => boolean = () => false,
): Resource<T> {
  const [state, setState] = useState<State<T>>({ key, error: null, isLoading: true })
  const latest = useRef({ load, isAffected, turn: 0 })
  latest.current.load = load
  latest.current.isAffected = isAffected

  const reload = (): void => {
    const turn = ++latest.current.turn
    const settle = (change: Partial<State<T>>): void => {
      if (turn !== latest.current.turn) return
      setState((before) => ({
        ...(before.key === key ? before : { key, error: null }),
        ...change,
        isLoading: false,
      }))
    }
    setState((before) =>
      before.key === key ? { ...before, isLoading: true } : { key, error: null, isLoading: true },
    )
    latest.current.load().then(
      (value) => settle({ value, error: null }),
      (error: Error) => settle({ error }),
    )
  }

  useEffect(() => {
    reload()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onChange((event) => {
      if (!isStart(event) && !latest.current.isAffected(event)) return
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, PACE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
      // What is still on its way is for nobody.
      latest.current.turn++
    }
  }, [key])

  const { value, error, isLoading } =
    state.key === key ? state : { value: undefined, error: null, isLoading: true }
  return { value, error, isLoading, reload }
}
