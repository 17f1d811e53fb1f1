/** Shows the sent messages with their live statuses, and cancels them while no device has them. */
import { CircleCheck } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useProblemText } from '../parts/problem-text.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import type { Draft } from '../state/draft.ts'
import { messageChange } from '../state/live.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { cancelSent, isCancellable, loadStatuses, type SentLine, type StatusNow } from '../state/sent.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

const MAX_LISTED = 10

export interface Sent {
  readonly draft: Draft
  readonly lines: readonly SentLine[]
}

interface SentNoticeProps {
  readonly sent: Sent
  /** True if the form is below, with the devices that refused the command. */
  readonly isPartial: boolean
  readonly onAgain: () => void
  readonly onChangeDevice: () => void
}

export function SentNotice({ sent: { draft, lines }, isPartial, onAgain, onChangeDevice }: SentNoticeProps) {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => root.current?.scrollIntoView({ block: 'nearest' }), [lines])
  const t = useTexts('send')
  const stored = lines.filter((each): each is SentLine & { id: number } => each.id !== null)
  const ids = stored.map(({ id }) => id)
  const now = useResource(
    `sent/${ids.join()}`,
    () => loadStatuses(ids),
    (event) => ids.includes(messageChange(event)?.id ?? 0),
  )
  const [first] = stored
  const where = stored.length === 1 && first ? first.deviseId : t.devicesCount(stored.length)
  return (
    <div ref={root} class="sent">
      <div role="status">
        <CircleCheck size={36} aria-hidden="true" />
        <h3>{t.sent}</h3>
        <p>{t.sentHint({ command: draft.command, device: where })}</p>
      </div>
      <ul class="sent-list">
        {stored.slice(0, MAX_LISTED).map(({ id, deviseId }) => (
          <li key={id}>
            <a href={links.message(id)}>{t.toMessage({ id })}</a>
            <span class="id">{deviseId}</span>
            <StatusBadge
              status={now.value?.find((each) => each.id === id)?.deliveryStatus ?? 'NOT_DELIVERED'}
            />
          </li>
        ))}
      </ul>
      {stored.length > MAX_LISTED && <p>{t.more(stored.length - MAX_LISTED)}</p>}
      <div class={isPartial ? 'sent-actions' : 'actions'}>
        <CancelSent statuses={now.value ?? []} onDone={now.reload} />
        {!isPartial && (
          <>
            <button type="button" class="quiet" onClick={onChangeDevice}>
              {t.changeDevice}
            </button>
            <button type="button" class="quiet" onClick={onAgain}>
              {t.again}
            </button>
          </>
        )}
      </div>
    </div>
  )
}

function CancelSent({ statuses, onDone }: { statuses: readonly StatusNow[]; onDone: () => void }) {
  const t = useTexts('send')
  const textOf = useProblemText()
  const [isBusy, setBusy] = useState(false)
  const ids = statuses.flatMap((each) => (isCancellable(each) && each.id !== undefined ? [each.id] : []))
  async function cancel(): Promise<void> {
    setBusy(true)
    try {
      showToast({ text: t.cancelled(await cancelSent(ids)) })
    } catch (error) {
      showToast({ text: textOf(error), tone: 'bad' })
    }
    setBusy(false)
    onDone()
  }
  if (ids.length === 0) return null
  return (
    <button type="button" class="danger" aria-busy={isBusy} disabled={isBusy} onClick={cancel}>
      {ids.length > 1 ? t.cancelAll(ids.length) : t.cancel}
    </button>
  )
}
