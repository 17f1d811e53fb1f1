/** Reads older messages: further rows, or the continuation of a search. */
import { dateFormat } from '../parts/formats.ts'
import type { MessageList } from '../state/messages.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

export function OlderMessages({ list }: { list: MessageList }) {
  const t = useTexts('messages')
  const common = useTexts('common')
  const locale = useLocale()
  const { hasMore, searchedTo, isSearching, loadMore } = list
  if (!hasMore) return null
  const time =
    searchedTo === null
      ? null
      : dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(searchedTo)
  return (
    <div class="pager">
      {time !== null && (
        <span role="status" class="muted">
          {isSearching ? t.searching({ time }) : t.searchedTo({ time })}
        </span>
      )}
      <button type="button" class="quiet" aria-busy={isSearching} onClick={() => !isSearching && loadMore()}>
        {time === null ? common.more : t.searchOlder}
      </button>
    </div>
  )
}
