/** Defines the columns of lists of messages, in the order of their weight. */
import { useMemo } from 'preact/hooks'
import { links } from '../state/location.ts'
import type { Message } from '../state/messages.ts'
import type { ReadyTexts } from '../texts/texts.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { StatusBadge } from './status-badge.tsx'
import type { Column } from './table/columns.ts'
import { durationText, Time } from './time.tsx'

/** Characters of `data` in a cell, and in its title. */
const DATA_SHOWN = 60
const DATA_TITLE = 1_000

interface ColumnTexts {
  readonly t: ReadyTexts<'common'>
  readonly list: ReadyTexts<'messages'>
  readonly guarantees: ReadyTexts<'guarantees'>
  readonly locale: string
}

export function useMessageColumns(): readonly Column<Message>[] {
  const t = useTexts('common')
  const list = useTexts('messages')
  const guarantees = useTexts('guarantees')
  const locale = useLocale()
  return useMemo(() => columnsOf({ t, list, guarantees, locale }), [t, list, guarantees, locale])
}

function columnsOf({ t, list, guarantees, locale }: ColumnTexts): readonly Column<Message>[] {
  return [
    { key: 'id', title: '№', render: ({ id }) => id },
    { key: 'status', title: t.status, render: (message) => <Status message={message} />, narrow: 'badge' },
    {
      key: 'device',
      title: t.device,
      id: ({ deviseId }) => deviseId,
      linkOf: ({ deviseId }) => links.device(deviseId),
      share: 3,
      narrow: 'detail',
    },
    {
      key: 'command',
      title: t.command,
      render: ({ command }) => <Mono text={command} />,
      share: 3,
      narrow: 'title',
    },
    { key: 'sent', title: t.sent, render: ({ createdDate }) => <Time at={createdDate} />, narrow: 'detail' },
    {
      key: 'data',
      title: list.data,
      render: ({ data }) => (data === '{}' ? null : <Mono text={data} />),
      share: 3,
    },
    { key: 'sender', title: list.sender, id: ({ senderDeviseId }) => senderDeviseId ?? null, share: 2 },
    {
      key: 'duration',
      title: list.duration,
      render: (message) => durationOf(message, locale),
      align: 'end',
    },
    { key: 'attempts', title: list.attempts, render: ({ attempts }) => attempts, align: 'end' },
    {
      key: 'guarantee',
      title: list.guarantee,
      render: ({ deliveryGuarantee }) => (
        <span class="muted" title={guarantees[deliveryGuarantee]}>
          {guarantees[deliveryGuarantee]}
        </span>
      ),
      share: 2,
    },
  ]
}

/** Shows the status, and the message that replaced a failed one. */
function Status({ message: { deliveryStatus, cause, resentAs } }: { message: Message }) {
  const t = useTexts('messages')
  return (
    <>
      <StatusBadge status={deliveryStatus} cause={cause} />
      {resentAs != null && (
        <a class="resent" href={links.message(resentAs)}>
          {t.resentAs({ id: resentAs })}
        </a>
      )}
    </>
  )
}

function Mono({ text }: { text: string }) {
  return (
    <span class="id one-line" title={text.slice(0, DATA_TITLE)}>
      {text.length > DATA_SHOWN ? `${text.slice(0, DATA_SHOWN)}…` : text}
    </span>
  )
}

/** Returns the time from sending to the last change of a message that is no longer pending. */
function durationOf({ deliveryStatus, createdDate, changedDate }: Message, locale: string): string | null {
  if (deliveryStatus === 'NOT_DELIVERED' || changedDate === undefined) return null
  return durationText(changedDate - createdDate, locale)
}
