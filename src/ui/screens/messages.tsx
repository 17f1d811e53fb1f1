/**
 * Lists all messages, newest first: filters, presets, live changes, and actions on one or many messages. The filters
 * are in the address.
 */

import { Inbox, Pause, Play, SearchX, Send } from 'lucide-preact'
import { useMemo } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { ExportMenu } from '../parts/export-menu.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { MessagesTable } from '../parts/messages-table.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { askBulk } from '../state/bulk.ts'
import { liveState } from '../state/live.ts'
import { links, query } from '../state/location.ts'
import { canFollow, messageConditions } from '../state/message-filters.ts'
import { type MessageList, useMessages } from '../state/messages.ts'
import { useSelection } from '../state/selection.ts'
import { mayChange } from '../state/session.ts'
import { useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { askSelected, MessageBulk } from './message-bulk.tsx'
import { MessageFilters } from './message-filters.tsx'
import { MessagePresets, useMatching } from './message-presets.tsx'
import { useMessageMenu } from './message-row.tsx'
import { OlderMessages } from './older-messages.tsx'

export function Messages() {
  const frame = useTexts('shell')
  const number = useNumberText()
  const given = query.value
  const listKey = JSON.stringify(given)
  // A range such as the last hour is evaluated once, so that the list does not restart continually.
  const filters = useMemo(() => messageConditions(given, Date.now()), [listKey])
  const list = useMessages(filters)
  const matching = useMatching(filters)
  const selection = useSelection(listKey)
  const menuOf = useMessageMenu(list.reload)
  const isManager = mayChange.value
  const isFollowing = canFollow(filters)
  useKeys({
    p: () => isFollowing && list.pause(!list.isPaused),
    r: () => isManager && selection.keys.size > 0 && askSelected('RESEND', selection, filters),
  })
  const count = matching && `${number(matching.count)}${matching.isExact ? '' : '+'}`
  return (
    <>
      <Heading
        title={frame.messages}
        actions={
          <>
            <ExportMenu conditions={() => filters} />
            <FollowToggle list={list} isFollowing={isFollowing} />
          </>
        }
      >
        {frame.messages} <small class="muted count">{count}</small>
      </Heading>
      <MessagePresets />
      <MessageFilters filters={given} />
      <Loaded from={{ value: list.messages, error: list.error, isLoading: false, reload: list.reload }}>
        {(messages) => (
          <>
            {messages.length > 0 ? (
              <MessagesTable
                listKey={listKey}
                messages={messages}
                most={list.most}
                selection={isManager ? selection : undefined}
                menuOf={isManager ? menuOf : undefined}
                {...(isManager && {
                  keys: { r: ({ id }) => askBulk({ action: 'RESEND', messages: { ids: [id] } }) },
                })}
              />
            ) : (
              <NoMessages list={list} isFiltered={Object.keys(filters).length > 0} />
            )}
            <OlderMessages list={list} />
            {isManager && (
              <MessageBulk
                selection={selection}
                loaded={messages.length}
                matching={matching}
                filters={filters}
              />
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
  if (list.hasMore) return null
  if (isFiltered) return <Empty icon={SearchX} title={t.nothingFits} />
  return (
    <Empty icon={Inbox} title={t.empty}>
      <p>{t.emptyHint}</p>
      <AdminOnly>
        <a class="button primary" href={links.send()}>
          <Send size={16} aria-hidden="true" /> {frame.send}
        </a>
      </AdminOnly>
    </Empty>
  )
}

/** Shows whether the list follows live changes, with a button that pauses it. */
function FollowToggle({ list, isFollowing }: { list: MessageList; isFollowing: boolean }) {
  const t = useTexts('messages')
  const frame = useTexts('shell')
  const { isPaused, missed, pause } = list
  if (!isFollowing) return <span class="muted">{t.ended}</span>
  const state = isPaused ? 'paused' : liveState.value
  const paused = missed === 0 ? t.held : t.paused(missed)
  const text = state === 'paused' ? paused : state === 'live' ? t.following : frame[state]
  return (
    <>
      <span class="live" data-state={state} role="status" title={state === 'stale' ? t.lost : undefined}>
        {text}
      </span>
      <button type="button" class="small quiet" aria-keyshortcuts="p" onClick={() => pause(!isPaused)}>
        {isPaused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
        {isPaused ? t.resume : t.pause}
      </button>
    </>
  )
}
