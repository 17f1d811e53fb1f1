/** Keeps a list of messages: new messages appear at the top, older messages are read on demand. */
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
  withStatuses,
} from './message-list.ts'
import { readMessagePage, searchMessages } from './message-search.ts'

export type { Message }

const ROWS = 50
/** Rows up to which new messages extend the table: a browser draws a longer table too slowly to follow. */
const FOLLOWED_ROWS = 100
const MAX_PAGE = 500
/** Milliseconds between two reloads during a burst of changes. */
const RELOAD_INTERVAL_MS = 500
/** Milliseconds for which changes are collected before they are shown. */
const BATCH_MS = 200

export interface MessageList {
  /** Messages, newest first; undefined until the first page has arrived. */
  readonly messages: readonly Message[] | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  /** Time down to which an incomplete search went; null otherwise. */
  readonly searchedTo: number | null
  readonly isSearching: boolean
  readonly isPaused: boolean
  /** Maximum rows of a growing list: the number that the user requested, at least 100. */
  readonly most: number
  /** Number of messages that changed since the pause began. */
  readonly missed: number
  readonly loadMore: () => void
  readonly reload: () => void
  readonly pause: (isPaused: boolean) => void
}

/** Returns the list kept by the current entry of the browser's history, so that Back shows it at once. */
function firstState(key: string): ListState {
  return keptValue<ListState>(`messages/${key}`) ?? { key, next: null, searchedTo: null, error: null }
}

/** Returns one page of messages, newest first. @param filters query parameters of the API */
export function loadMessages(filters: Query, limit = ROWS): Promise<FoundMessages> {
  return readMessagePage({ ...(filters as MessageConditions), limit, details: true })
}

/** Returns the list of messages that match the filters. A change of the filters starts a new list. */
export function useMessages(filters: MessageConditions): MessageList {
  const key = JSON.stringify(filters)
  const [kept, setState] = useState(() => firstState(key))
  const state = kept.key === key ? kept : firstState(key)
  const [isSearching, setSearching] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [missed, setMissed] = useState(0)
  /** Statuses that changed since the pause began, by message id. */
  const held = useRef(new Map<number, string>())
  // An event right after the click would read a state one rendering too late.
  const paused = useRef(false)
  const current = useRef({
    state,
    keep: keeper(),
    stop: new AbortController(),
    isReading: false,
    newestId: 0,
  })
  current.current.state = state

  /** Reads messages and merges them. Drops an answer to filters that are no longer active. */
  const read = useCallback((query: MessageConditions, place: 'top' | 'end'): void => {
    const { stop } = current.current
    const merge = place === 'top' ? withNewest : withOlder
    const newest = current.current.state.rows?.[0]?.id ?? 0
    // Below the known rows, a search for new messages can stop.
    const reached = new AbortController()
    current.current.isReading = true
    setSearching(true)
    // A page that ends above the known rows would replace them. Numbers grow by one.
    const arrived = newest === 0 || place === 'end' ? 0 : current.current.newestId - newest
    searchMessages(query, Math.min(MAX_PAGE, ROWS + Math.max(0, arrived)), {
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
    held.current.clear()
    setMissed(0)
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
    let batchTimer: ReturnType<typeof setTimeout> | undefined
    const changed = new Map<number, string>()
    const showChanged = (): void => {
      batchTimer = undefined
      const statuses = new Map(changed)
      changed.clear()
      if (paused.current) {
        for (const [id, status] of statuses) held.current.set(id, status)
        setMissed(held.current.size)
      } else setState((before) => withStatuses(before, statuses))
    }
    const again = (): void => {
      // Another read must not overtake a search of some seconds.
      timer = current.current.isReading ? setTimeout(again, RELOAD_INTERVAL_MS) : undefined
      if (timer === undefined && !paused.current) reload()
    }
    const stop = onLiveEvent((event) => {
      const change = messageChange(event)
      if (!change && !isStreamStart(event)) return
      if (typeof deviseId === 'string' && !concernsDevice(event, deviseId)) return
      if (change) {
        changed.set(change.id, change.deliveryStatus)
        current.current.newestId = Math.max(current.current.newestId, change.id)
        batchTimer ??= setTimeout(showChanged, BATCH_MS)
      }
      if (!paused.current) timer ??= setTimeout(again, RELOAD_INTERVAL_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
      clearTimeout(batchTimer)
    }
  }, [key, reload])
  useEffect(
    () => () => {
      isListPaused.value = false
    },
    [],
  )

  const most = Math.max(FOLLOWED_ROWS, state.asked ?? 0)
  return {
    messages: state.rows,
    error: state.error,
    hasMore: state.next !== null || (state.rows?.length ?? 0) > most,
    searchedTo: state.searchedTo,
    isSearching,
    isPaused,
    missed,
    most,
    loadMore() {
      setState((before) => ({ ...before, asked: before.rows?.length ?? 0 }))
      if (state.next) read(state.next, 'end')
    },
    reload,
    pause(wanted) {
      paused.current = wanted
      isListPaused.value = wanted
      setPaused(wanted)
      if (wanted) return
      const statuses = new Map(held.current)
      held.current.clear()
      setMissed(0)
      setState((before) => withStatuses(before, statuses))
      reload()
    },
  }
}
