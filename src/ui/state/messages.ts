/** The list of messages as it grows: at the top by itself, at the bottom on demand. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { components } from '../../client/index.ts'
import { concerns, isStart, messageChange, onChange } from './live.ts'
import type { Query } from './location.ts'
import { callPage, type Page } from './session.ts'

export type Message = components['schemas']['Message']

const ROWS = 50
/** The screen follows bursts of changes at this pace. */
const PACE_MS = 1_000

export interface MessageList {
  /** Newest first; undefined until the first page is there. */
  readonly messages: readonly Message[] | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isPaused: boolean
  /** Changes that came while it was paused. */
  readonly missed: number
  readonly more: () => void
  readonly reload: () => void
  readonly pause: (isPaused: boolean) => void
}

interface State {
  readonly rows?: readonly Message[]
  readonly next: Query | null
  readonly error: Error | null
}

const NOTHING: State = { next: null, error: null }

/** One page of messages. @param filters of the API */
export function loadMessages(filters: Query, limit = ROWS): Promise<Page<Message>> {
  const query = { ...filters, limit } as { deviseId?: string; limit: number }
  return callPage((api) => api.GET('/admin/api/messages', { params: { query } })) as Promise<Page<Message>>
}

/** @param filters of the API; other filters are another list */
export function useMessages(filters: Query): MessageList {
  const key = JSON.stringify(filters)
  const [state, setState] = useState(NOTHING)
  const [isPaused, setPaused] = useState(false)
  const [missed, setMissed] = useState(0)
  const turn = useRef(0)

  /** What it gives is put on top of the list, or behind it; that of an earlier list is for nobody. */
  const read = useCallback((page: Promise<Page<Message>>, place: 'top' | 'end'): void => {
    const mine = turn.current
    page.then(
      ({ items, next }) => {
        if (mine === turn.current) setState((before) => joined(before, items, next, place))
      },
      (error: Error) => {
        if (mine === turn.current) setState((before) => ({ ...before, error }))
      },
    )
  }, [])
  const reload = useCallback(() => read(loadMessages(JSON.parse(key)), 'top'), [key, read])

  useEffect(() => {
    turn.current++
    setState(NOTHING)
    setMissed(0)
    reload()
  }, [reload])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const { deviseId } = JSON.parse(key) as Query
    const stop = onChange((event) => {
      const change = messageChange(event)
      if (!change && !isStart(event)) return
      if (deviseId !== undefined && !concerns(event, deviseId)) return
      if (isPaused) return setMissed((count) => count + 1)
      if (change) setState((before) => withStatus(before, change.id, change.deliveryStatus))
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, PACE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [key, isPaused, reload])

  return {
    messages: state.rows,
    error: state.error,
    hasMore: state.next !== null,
    isPaused,
    missed,
    more: () => state.next && read(loadMessages(state.next), 'end'),
    reload,
    pause(wanted) {
      setPaused(wanted)
      if (wanted) return
      setMissed(0)
      reload()
    },
  }
}

/** New rows take the place of those with the same id. A first page that does not reach the old rows replaces them all. */
function joined(before: State, items: readonly Message[], next: Query | null, place: 'top' | 'end'): State {
  const rows = before.rows ?? []
  const oldest = items.at(-1)?.id ?? 0
  if (place === 'top' && next !== null && (rows[0]?.id ?? 0) < oldest)
    return { rows: items, next, error: null }
  const byId = new Map([...rows, ...items].map((each) => [each.id, each]))
  const all = [...byId.values()].sort((a, b) => b.id - a.id)
  return { rows: all, next: place === 'end' || rows.length === 0 ? next : before.next, error: null }
}

function withStatus(before: State, id: number, status: string): State {
  const isKnown = before.rows?.some((each) => each.id === id)
  if (!isKnown) return before
  const rows = before.rows?.map((each) =>
    each.id === id ? { ...each, deliveryStatus: status as Message['deliveryStatus'] } : each,
  )
  return { ...before, ...(rows && { rows }) }
}
