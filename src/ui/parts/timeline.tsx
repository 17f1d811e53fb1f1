/** Shows the timeline of a message: each entry with its time and the time since the previous entry. */
import { ArrowRightFromLine, Clock, HardDrive, type LucideIcon, PackageCheck } from 'lucide-preact'
import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { STATUS_KINDS, type StatusKind } from '../../client/index.ts'
import { links } from '../state/location.ts'
import type { MessageDetail, PendingReason, StatusChange } from '../state/message.ts'
import { type AttemptRun, foldedTimeline, type TimelineEntry, timelineOf } from '../state/timeline.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { LOOKS, type Look } from './status-badge.tsx'
import { durationText, Time } from './time.tsx'

export function Timeline({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  const { items, left } = foldedTimeline(timelineOf(message))
  const before = (i: number): number | undefined => {
    const item = items[i - 1]
    return item?.kind === 'run' ? item.attempts.at(-1)?.date : item?.date
  }
  return (
    <ol class="timeline">
      {items.map((item, i) => (
        <Fragment
          key={item.kind === 'run' ? `run-${item.attempts[0]?.number}` : `${item.kind}-${item.date}-${i}`}
        >
          {i === 1 && left > 0 && <li class="calm muted">{t.left(left)}</li>}
          {item.kind === 'run' ? (
            <RunItems run={item} before={before(i)} />
          ) : (
            <EntryItem entry={item} before={before(i)} />
          )}
        </Fragment>
      ))}
      {message.waits && <PendingItem wait={message.waits} />}
    </ol>
  )
}

/** Shows equal attempts as one entry, with a button that expands them. */
function RunItems({ run: { attempts }, before }: { run: AttemptRun; before: number | undefined }) {
  const t = useTexts('message')
  const words = useTexts('timeline')
  const outcomes = useOutcomes()
  const [isOpen, setOpen] = useState(false)
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (!first || !last) return null
  if (isOpen) {
    return (
      <>
        {attempts.map((each, i) => (
          <EntryItem key={each.number} entry={each} before={attempts[i - 1]?.date ?? before} />
        ))}
      </>
    )
  }
  const { transport, outcome } = first.attempt
  const [Icon, tone] = attemptLook(outcome)
  return (
    <Item icon={Icon} tone={tone}>
      <p>
        <strong>{words.attempts({ first: first.number, last: last.number, transport })}</strong>{' '}
        <span class="muted">{outcomes[outcome] ?? outcome}</span>
      </p>
      <p class="when">
        <Time at={first.date} /> – <Time at={last.date} />
        <button type="button" class="small quiet" onClick={() => setOpen(true)}>
          {t.showAll(attempts.length)}
        </button>
      </p>
    </Item>
  )
}

function EntryItem({ entry, before }: { entry: TimelineEntry; before: number | undefined }) {
  const t = useTexts('message')
  const locale = useLocale()
  const [Icon, tone] =
    entry.kind === 'change'
      ? CHANGE_LOOKS[STATUS_KINDS[entry.change.deliveryStatus]]
      : attemptLook(entry.attempt.outcome)
  return (
    <Item icon={Icon} tone={tone}>
      {entry.kind === 'change' ? <ChangeText change={entry.change} /> : <AttemptText entry={entry} />}
      <p class="when">
        <Time at={entry.date} />
        {before !== undefined && <span>{t.later({ time: durationText(entry.date - before, locale) })}</span>}
      </p>
    </Item>
  )
}

interface ItemProps {
  readonly icon: LucideIcon
  readonly tone: string
  readonly children: ComponentChildren
}

function Item({ icon: Icon, tone, children }: ItemProps) {
  return (
    <li class={tone}>
      <span class="mark">
        <Icon size={16} aria-hidden="true" />
      </span>
      <div>{children}</div>
    </li>
  )
}

/** Icon and tone of a status change, by the kind of the new status. */
const CHANGE_LOOKS: Readonly<Record<StatusKind, Look>> = {
  ...LOOKS,
  pending: [HardDrive, 'info'],
  delivered: [PackageCheck, 'info'],
}

function attemptLook(outcome: string): Look {
  const tones: Readonly<Record<string, string>> = {
    NOT_ACKNOWLEDGED: 'wait',
    REFUSED_ANSWER: 'bad',
    TOO_LARGE: 'bad',
    CONNECTION_BROKE: 'odd',
  }
  return [ArrowRightFromLine, tones[outcome] ?? 'info']
}

function ChangeText({ change: { cause, deliveryStatus, deviseId, messageId } }: { change: StatusChange }) {
  const t = useTexts('timeline')
  const waits = useTexts('waits')
  const statuses = useTexts('statuses')
  const names: Readonly<Record<string, string | undefined>> = {
    STORED: t.STORED,
    HANDED_OVER: t.HANDED_OVER,
    CONNECTION_BROKE: t.CONNECTION_BROKE,
    SUPERSEDED: t.SUPERSEDED,
    CANCELLED: t.CANCELLED,
    EXPIRED: t.EXPIRED,
    NOT_ACKNOWLEDGED: t.PARKED,
    NOT_FINISHED: t.NOT_FINISHED,
    REPLAYED: t.REPLAYED,
  }
  const acknowledged: Readonly<Record<string, string | undefined>> = {
    DELIVERED: t.DELIVERED,
    COMPLETED: t.COMPLETED,
    COMPLETED_WITH_ERROR: t.COMPLETED_WITH_ERROR,
  }
  if (cause === 'LATE') return <p class="muted">{t.LATE({ status: statuses[deliveryStatus] })}</p>
  return (
    <p>
      <strong>{names[cause] ?? acknowledged[deliveryStatus] ?? statuses[deliveryStatus]}</strong>{' '}
      {deviseId !== null && (
        <span class="id muted">{cause === 'STORED' ? t.from({ id: deviseId }) : t.by({ id: deviseId })}</span>
      )}
      {cause === 'STORED' && <span class="muted"> · {t.STORED_hint}</span>}
      {messageId !== null && <a href={links.message(messageId)}>{waits.message({ id: messageId })}</a>}
    </p>
  )
}

function AttemptText({ entry: { attempt, number } }: { entry: Extract<TimelineEntry, { kind: 'attempt' }> }) {
  const t = useTexts('timeline')
  const outcomes = useOutcomes()
  const { transport, outcome, reason } = attempt
  return (
    <p>
      <strong>{t.attempt({ transport, number })}</strong>{' '}
      <span class="muted">
        {outcomes[outcome] ?? outcome}
        {reason !== undefined && `: ${reason}`}
      </span>
    </p>
  )
}

/** Returns the texts for outcomes of attempts. */
function useOutcomes(): Readonly<Record<string, string | undefined>> {
  const t = useTexts('timeline')
  return {
    SENT: t.SENT,
    OPEN: t.OPEN,
    ACKNOWLEDGED: t.ACKNOWLEDGED,
    NOT_ACKNOWLEDGED: t.NOT_ACKNOWLEDGED,
    REFUSED_ANSWER: t.REFUSED_ANSWER,
    TOO_LARGE: t.TOO_LARGE,
    CONNECTION_BROKE: t.BROKE,
    BUSY: t.BUSY,
  }
}

/** Reasons that imply an earlier dispatch. */
const WAS_DISPATCHED: ReadonlySet<PendingReason['reason']> = new Set(['ACKNOWLEDGEMENT', 'BACK_OFF'])

function PendingItem({ wait: { reason, messageId, until } }: { wait: PendingReason }) {
  const t = useTexts('waits')
  return (
    <Item icon={Clock} tone="wait open">
      <p>
        {t[reason]}{' '}
        {messageId !== null && <a href={links.message(messageId)}>{t.message({ id: messageId })}</a>}
        {until != null && (
          <>
            {WAS_DISPATCHED.has(reason) ? t.nextAttempt : t.dispatchedAt} <Time at={until} />
          </>
        )}
      </p>
    </Item>
  )
}
