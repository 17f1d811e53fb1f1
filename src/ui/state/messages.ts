/** Keeps a list of messages: new messages appear at the top, older ones are read on demand. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { components } from '../../client/index.ts'
import { keeper, keptValue } from './history.ts'
import {
  concernsDevice,
  isPaused as isListPaused,
  isStreamStart,
  messageChange,
  onLiveEvent,
} from './live.ts'
import type { Query } from './location.ts'
import { callPage, type Page } from './session.ts'

export type Message = components['schemas']['Message']

const ROWS = 50
/** Milliseconds between two reloads during a burst of changes. */
const RELOAD_INTERVAL_MS = 1_000

export interface MessageList {
  /** Messages, newest first; undefined until the first page has arrived. */
  readonly messages: readonly Message[] | undefined
  readonly error: Error | null
  /** True if older messages can be read. */
  readonly hasMore: boolean
  readonly isPaused: boolean
  /** Number of changes since the pause began. */
  readonly missed: number
  /** Reads the next page of older messages. */
  readonly loadMore: () => void
  readonly reload: () => void
  readonly pause: (isPaused: boolean) => void
}

interface State {
  /** Filters of the list. */
  readonly key: string
  readonly rows?: readonly Message[]
  readonly next: Query | null
  readonly error: Error | null
}

/** Returns the list that the present entry of the browser's history keeps, so that Back shows it at once. */
function firstState(key: string): State {
  return keptValue<State>(`messages/${key}`) ?? { key, next: null, error: null }
}

/** Returns one page of messages, newest first. @param filters query parameters of the API */
export function loadMessages(filters: Query, limit = ROWS): Promise<Page<Message>> {
  const query = { ...filters, limit, details: true } as { deviseId?: string; limit: number }
  return callPage((api) => api.GET('/admin/api/messages', { params: { query } }))
}

/** Returns the list of messages that match the filters. @param filters query parameters of the API; a change begins a new list */
export function useMessages(filters: Query): MessageList {
  const key = JSON.stringify(filters)
  const [kept, setState] = useState(() => firstState(key))
  const state = kept.key === key ? kept : firstState(key)
  const keep = useRef(keeper())
  const [isPaused, setPaused] = useState(false)
  // A state would be read one rendering too late by an event that arrives right after the click.
  const paused = useRef(false)
  const [missed, setMissed] = useState(0)
  const listNumber = useRef(0)

  /** Merges a page into the list. A page that was requested for an earlier list is dropped. */
  const read = useCallback((page: Promise<Page<Message>>, place: 'top' | 'end'): void => {
    const requestedFor = listNumber.current
    page.then(
      ({ items, next }) => {
        if (requestedFor === listNumber.current) setState((before) => merged(before, items, next, place))
      },
      (error: Error) => {
        if (requestedFor === listNumber.current) setState((before) => ({ ...before, error }))
      },
    )
  }, [])
  const reload = useCallback(() => read(loadMessages(JSON.parse(key)), 'top'), [key, read])

  useEffect(() => {
    listNumber.current++
    keep.current = keeper()
    setState(firstState(key))
    setMissed(0)
    reload()
  }, [reload])

  useEffect(() => {
    if (kept.rows) keep.current(`messages/${kept.key}`, kept)
  }, [kept])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const { deviseId } = JSON.parse(key) as Query
    const stop = onLiveEvent((event) => {
      const change = messageChange(event)
      if (!change && !isStreamStart(event)) return
      if (deviseId !== undefined && !concernsDevice(event, deviseId)) return
      if (paused.current) return setMissed((count) => count + 1)
      if (change) setState((before) => withStatus(before, change.id, change.deliveryStatus))
      timer ??= setTimeout(() => {
        timer = undefined
        if (!paused.current) reload()
      }, RELOAD_INTERVAL_MS)
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
    isPaused,
    missed,
    loadMore: () => state.next && read(loadMessages(state.next), 'end'),
    reload,
    pause(wanted) {
      paused.current = wanted
      isListPaused.value = wanted
      setPaused(wanted)
      if (wanted) return
      setMissed(0)
      reload()
    },
  }
}

/**
 * Merges a page into the rows; a new row replaces the old one with the same id. A first page that does not reach the old
 * rows replaces all of them, since the messages in between were not read. A row that a first page covers and does not have
 * no longer matches the filters, so it leaves the list.
 */
function merged(before: State, items: readonly Message[], next: Query | null, place: 'top' | 'end'): State {
  const rows = before.rows ?? []
  const oldest = items.at(-1)?.id ?? 0
  if (place === 'top' && next !== null && (rows[0]?.id ?? 0) < oldest)
    return { ...before, rows: items, next, error: null }
  const isCovered = (id: number): boolean =>
    place === 'top' && (next === null || (items.length > 0 && id >= oldest))
  const kept = rows.filter(({ id }) => !isCovered(id))
  const byId = new Map([...kept, ...items].map((each) => [each.id, each]))
  const all = [...byId.values()].sort((a, b) => b.id - a.id)
  return {
    ...before,
    rows: all,
    next: place === 'end' || kept.length === 0 ? next : before.next,
    error: null,
  }
}

function withStatus(before: State, id: number, status: string): State {
  const isKnown = before.rows?.some((each) => each.id === id)
  if (!isKnown) return before
  const rows = before.rows?.map(({ cause, ...each }) =>
    each.id === id
      ? { ...each, deliveryStatus: status as Message['deliveryStatus'] }
      : { ...each, ...(cause && { cause }) },
  )
  return { ...before, ...(rows && { rows }) }
}
