/** The way of a message, like a waybill's: each stop with its time, and the time that passed since the one before. */
import { ArrowRightFromLine, Clock, HardDrive, type LucideIcon, PackageCheck } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { STATUS_KINDS, type StatusKind } from '../../client/index.ts'
import { links } from '../state/location.ts'
import type { Change, Message, Wait } from '../state/message.ts'
import { type Stop, stopsOf } from '../state/timeline.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { LOOKS, type Look } from './badge.tsx'
import { durationText, Time } from './time.tsx'

/** A message that goes out in vain does so very often. */
const SHOWN_AT_ENDS = 4

export function Timeline({ message }: { message: Message }) {
  const t = useTexts('message')
  const [isWhole, setWhole] = useState(false)
  const stops = stopsOf(message)
  const hidden = isWhole ? 0 : stops.length - 2 * SHOWN_AT_ENDS
  const isFolded = (i: number): boolean =>
    hidden > 1 && i >= SHOWN_AT_ENDS && i < stops.length - SHOWN_AT_ENDS
  return (
    <ol class="timeline">
      {stops.map((stop, i) => {
        if (isFolded(i) && i > SHOWN_AT_ENDS) return null
        if (isFolded(i)) {
          return (
            <li key="hidden" class="calm">
              <button type="button" class="small quiet" onClick={() => setWhole(true)}>
                {t.hidden(hidden)}
              </button>
            </li>
          )
        }
        return <StopItem key={`${stop.kind}-${i}`} stop={stop} before={stops[i - 1]} />
      })}
      {message.waits && <WaitItem wait={message.waits} />}
    </ol>
  )
}

function StopItem({ stop, before }: { stop: Stop; before: Stop | undefined }) {
  const t = useTexts('message')
  const locale = useLocale()
  const [Icon, tone] =
    stop.kind === 'change'
      ? CHANGE_LOOKS[STATUS_KINDS[stop.change.deliveryStatus]]
      : attemptLook(stop.attempt.outcome)
  return (
    <Item icon={Icon} tone={tone}>
      {stop.kind === 'change' ? <ChangeText change={stop.change} /> : <AttemptText stop={stop} />}
      <p class="when">
        <Time at={stop.date} />
        {before && <span>{t.later({ time: durationText(stop.date - before.date, locale) })}</span>}
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

/** Look of a change, by the kind of the status that the message got. */
const CHANGE_LOOKS: Readonly<Record<StatusKind, Look>> = {
  ...LOOKS,
  pending: [HardDrive, 'info'],
  delivered: [PackageCheck, 'info'],
}

function attemptLook(outcome: string): Look {
  const tones: Readonly<Record<string, string>> = { NOT_ACKNOWLEDGED: 'wait', CONNECTION_BROKE: 'odd' }
  return [ArrowRightFromLine, tones[outcome] ?? 'info']
}

function ChangeText({ change: { cause, deliveryStatus, deviseId, messageId } }: { change: Change }) {
  const t = useTexts('stops')
  const waits = useTexts('waits')
  const statuses = useTexts('statuses')
  const names: Readonly<Record<string, string | undefined>> = {
    STORED: t.STORED,
    HANDED_OVER: t.HANDED_OVER,
    CONNECTION_BROKE: t.CONNECTION_BROKE,
    SUPERSEDED: t.SUPERSEDED,
    CANCELLED: t.CANCELLED,
  }
  const acknowledged: Readonly<Record<string, string | undefined>> = {
    DELIVERED: t.DELIVERED,
    COMPLETED: t.COMPLETED,
    COMPLETED_WITH_ERROR: t.COMPLETED_WITH_ERROR,
  }
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

function AttemptText({ stop: { attempt, number } }: { stop: Extract<Stop, { kind: 'attempt' }> }) {
  const t = useTexts('stops')
  const { transport, outcome } = attempt
  const outcomes: Readonly<Record<string, string | undefined>> = {
    SENT: t.SENT,
    OPEN: t.OPEN,
    ACKNOWLEDGED: t.ACKNOWLEDGED,
    NOT_ACKNOWLEDGED: t.NOT_ACKNOWLEDGED,
    CONNECTION_BROKE: t.BROKE,
  }
  return (
    <p>
      <strong>{number === 1 ? t.attempt({ transport }) : t.repeat({ transport, number })}</strong>{' '}
      <span class="muted">{outcomes[outcome] ?? outcome}</span>
    </p>
  )
}

/** Why it has come no further. */
function WaitItem({ wait: { reason, messageId, until } }: { wait: Wait }) {
  const t = useTexts('waits')
  return (
    <Item icon={Clock} tone="wait open">
      <p>
        {t[reason]}{' '}
        {messageId !== null && <a href={links.message(messageId)}>{t.message({ id: messageId })}</a>}
        {until !== null && <Time at={until} />}
      </p>
    </Item>
  )
}
