/** Keeps a list of messages: new messages appear at the top, older ones are read on demand. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { MessageConditions } from './continued-search.ts'
import { keeper, keptValue } from './history.ts'
import {
  concernsDevice,
  isPaused as isListPaused,
  isStreamStart,
  messageChange,
  onLiveEvent,
} from './live.ts'
import type { Query } from './location.ts'
import { canFollow } from './message-filters.ts'
import {
  coveredFrom,
  type FoundMessages,
  type ListState,
  type Message,
  withNewest,
  withOlder,
  withStatus,
} from './message-list.ts'
import { readMessagePage, searchMessages } from './message-search.ts'

export type { Message }

const ROWS = 50
/** Milliseconds between two reloads during a burst of changes. */
const RELOAD_INTERVAL_MS = 1_000

export interface MessageList {
  /** Messages, newest first; undefined until the first page has arrived. */
  readonly messages: readonly Message[] | undefined
  readonly error: Error | null
  /** True if older messages can be read. */
  readonly hasMore: boolean
  /** Time down to which a search went that has not found enough; null otherwise. */
  readonly searchedTo: number | null
  readonly isSearching: boolean
  readonly isPaused: boolean
  /** Number of messages that changed since the pause began. */
  readonly missed: number
  /** Reads the next page of older messages. */
  readonly loadMore: () => void
  readonly reload: () => void
  readonly pause: (isPaused: boolean) => void
}

/** Returns the list that the present entry of the browser's history keeps, so that Back shows it at once. */
function firstState(key: string): ListState {
  return keptValue<ListState>(`messages/${key}`) ?? { key, next: null, searchedTo: null, error: null }
}

/** Returns one page of messages, newest first. @param filters query parameters of the API */
export function loadMessages(filters: Query, limit = ROWS): Promise<FoundMessages> {
  return readMessagePage({ ...(filters as MessageConditions), limit, details: true })
}

/** Returns the list of messages that match the filters. A change of the filters begins a new list. */
export function useMessages(filters: MessageConditions): MessageList {
  const key = JSON.stringify(filters)
  const [kept, setState] = useState(() => firstState(key))
  const state = kept.key === key ? kept : firstState(key)
  const [isSearching, setSearching] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [missed, setMissed] = useState<ReadonlySet<number>>(new Set())
  // A state would be read one rendering too late by an event that arrives right after the click.
  const paused = useRef(false)
  const current = useRef({ state, keep: keeper(), stop: new AbortController(), isReading: false })
  current.current.state = state

  /** Reads messages and merges them. An answer to filters that are no longer in force is dropped. */
  const read = useCallback((query: MessageConditions, place: 'top' | 'end'): void => {
    const { stop } = current.current
    const merge = place === 'top' ? withNewest : withOlder
    const newest = current.current.state.rows?.[0]?.id ?? 0
    // Below the rows that are known, a search for new messages need not go on.
    const reached = new AbortController()
    current.current.isReading = true
    setSearching(true)
    searchMessages(query, ROWS, {
      signal: AbortSignal.any([stop.signal, reached.signal]),
      onProgress(found) {
        if (stop.signal.aborted) return
        if (place === 'top' && newest > 0 && coveredFrom(found) <= newest) reached.abort()
        else if (newest === 0) setState((before) => withNewest(before, found))
      },
    })
      .then(
        (found) => !stop.signal.aborted && setState((before) => merge(before, found)),
        (error: Error) => !stop.signal.aborted && setState((before) => ({ ...before, error })),
      )
      .finally(() => {
        if (stop.signal.aborted) return
        current.current.isReading = false
        setSearching(false)
      })
  }, [])
  const reload = useCallback(() => read(JSON.parse(key), 'top'), [key, read])

  useEffect(() => {
    const stop = new AbortController()
    current.current = { ...current.current, keep: keeper(), stop, isReading: false }
    setState(firstState(key))
    setMissed(new Set())
    reload()
    return () => stop.abort()
  }, [key, reload])

  useEffect(() => {
    if (kept.rows) current.current.keep(`messages/${kept.key}`, kept)
  }, [kept])

  useEffect(() => {
    const { deviseId, ...others } = JSON.parse(key) as MessageConditions
    if (!canFollow(others)) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (): void => {
      // A search of some seconds is not overtaken by another one.
      timer = current.current.isReading ? setTimeout(again, RELOAD_INTERVAL_MS) : undefined
      if (timer === undefined && !paused.current) reload()
    }
    const stop = onLiveEvent((event) => {
      const change = messageChange(event)
      if (!change && !isStreamStart(event)) return
      if (typeof deviseId === 'string' && !concernsDevice(event, deviseId)) return
      if (paused.current) return change ? setMissed((ids) => new Set([...ids, change.id])) : undefined
      if (change) setState((before) => withStatus(before, change.id, change.deliveryStatus))
      timer ??= setTimeout(again, RELOAD_INTERVAL_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [key, reload])
  useEffect(
    () => () => {
      isListPaused.value = false
    },
    [],
  )

  return {
    messages: state.rows,
    error: state.error,
    hasMore: state.next !== null,
    searchedTo: state.searchedTo,
    isSearching,
    isPaused,
    missed: missed.size,
    loadMore: () => state.next && read(state.next, 'end'),
    reload,
    pause(wanted) {
      paused.current = wanted
      isListPaused.value = wanted
      setPaused(wanted)
      if (wanted) return
      setMissed(new Set())
      reload()
    },
  }
}
