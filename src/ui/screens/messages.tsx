/** Lists all messages, newest first, and follows live changes. The filters are kept in the URL. */

import { Inbox, Pause, Play, SearchX, Send } from 'lucide-preact'
import { useMemo } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { ExportMenu } from '../parts/export-menu.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { MessagesTable } from '../parts/messages-table.tsx'
import { liveState } from '../state/live.ts'
import { links, type Query, query } from '../state/location.ts'
import { type MessageList, useMessages } from '../state/messages.ts'
import { rangeFilters, rangeOf } from '../state/range.ts'
import { useTexts } from '../texts/texts.ts'
import { MessageFilters } from './message-filters.tsx'
import { ReplayAll } from './replay-all.tsx'

const FILTER_NAMES = ['deviseId', 'status', 'cause', 'command', 'outcome', 'changedFrom', 'changedTo']

/** Returns the values of a query that are filters of the API. */
function apiFilters(given: Query): Query {
  const named = FILTER_NAMES.filter((name) => name in given).map((name) => [name, given[name] as string])
  return { ...Object.fromEntries(named), ...rangeFilters(rangeOf(given, Date.now())) }
}

export function Messages() {
  const frame = useTexts('shell')
  const t = useTexts('common')
  const given = query.value
  // A range such as the last hour is taken once, so that the list does not begin anew all the time.
  const filters = useMemo(() => apiFilters(given), [JSON.stringify(given)])
  const list = useMessages(filters)
  return (
    <>
      <Heading
        title={frame.messages}
        actions={
          <>
            {filters.cause === 'NOT_ACKNOWLEDGED' && (
              <AdminOnly>
                <ReplayAll filters={filters} onDone={list.reload} />
              </AdminOnly>
            )}
            <ExportMenu conditions={() => filters} />
            <FollowToggle list={list} />
          </>
        }
      />
      <MessageFilters filters={given} />
      <Loaded from={{ value: list.messages, error: list.error, isLoading: false, reload: list.reload }}>
        {(messages) => (
          <>
            {messages.length > 0 ? (
              <MessagesTable
                listKey={JSON.stringify(filters)}
                label={frame.messages}
                messages={messages}
                withDevice
              />
            ) : (
              <NoMessages list={list} isFiltered={Object.keys(filters).length > 0} />
            )}
            {list.hasMore && (
              <div class="pager">
                <button type="button" class="quiet" onClick={list.loadMore}>
                  {t.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function NoMessages({ list, isFiltered }: { list: MessageList; isFiltered: boolean }) {
  const t = useTexts('messages')
  const frame = useTexts('shell')
  if (list.hasMore) return <Empty icon={SearchX} title={t.searching} />
  if (isFiltered) return <Empty icon={SearchX} title={t.nothingFits} />
  return (
    <Empty icon={Inbox} title={t.empty}>
      <p>{t.emptyHint}</p>
      <AdminOnly>
        <a class="button primary" href={links.send()}>
          <Send size={15} aria-hidden="true" /> {frame.send}
        </a>
      </AdminOnly>
    </Empty>
  )
}

/** Shows whether the list follows live changes, with a button that pauses it. */
function FollowToggle({ list: { isPaused, missed, pause } }: { list: MessageList }) {
  const t = useTexts('messages')
  const frame = useTexts('shell')
  const state = isPaused ? 'paused' : liveState.value
  const paused = missed === 0 ? t.held : t.paused(missed)
  const text = state === 'paused' ? paused : state === 'live' ? t.following : frame[state]
  return (
    <>
      <span class="live" data-state={state} role="status" title={state === 'stale' ? t.lost : undefined}>
        {text}
      </span>
      <button type="button" class="small quiet" onClick={() => pause(!isPaused)}>
        {isPaused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
        {isPaused ? t.resume : t.pause}
      </button>
    </>
  )
}
