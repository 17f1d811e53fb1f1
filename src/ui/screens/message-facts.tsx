/** Shows the facts of a message: guarantee, sender, limits in time and attempts, duration. */
import type { ComponentChildren } from 'preact'
import { durationText, Time } from '../parts/time.tsx'
import type { MessageDetail } from '../state/message.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

export function MessageFacts({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  const guarantees = useTexts('guarantees')
  const locale = useLocale()
  const { createdDate, deliveryGuarantee, senderDeviseId, producerDeviseId, tmpId, history } = message
  const { terms, deliveryStatus, idempotencyKey, repeats } = message
  const isPending = deliveryStatus === 'NOT_DELIVERED'
  const last = history.at(-1)
  const isDone = last && message.waits === null && last.date > createdDate
  return (
    <dl class="details">
      <dt>{t.guarantee}</dt>
      <dd title={deliveryGuarantee}>{guarantees[deliveryGuarantee]}</dd>
      <dt>{t.sender}</dt>
      <dd class="id">{senderDeviseId ?? t.unknownSender}</dd>
      <Fact name={t.producer} value={producerDeviseId} isId />
      <Fact name={t.tmpId} value={tmpId} />
      {isDone && <Fact name={t.took} value={durationText(last.date - createdDate, locale)} />}
      <DateFact name={t.due} at={isPending ? terms?.dueDate : null} />
      <DateFact name={t.expires} at={isPending ? terms?.expiresDate : null} />
      <DateFact name={t.finish} at={terms?.finishDate} />
      <Fact name={t.maxAttempts} value={terms?.maxAttempts} />
      <Fact name={t.idempotencyKey} value={idempotencyKey} isId />
      {idempotencyKey != null && <Fact name={t.repeats} value={repeats ?? 0} />}
    </dl>
  )
}

interface FactProps {
  readonly name: string
  /** Value of the fact; without one the fact is omitted. */
  readonly value: ComponentChildren
  readonly isId?: boolean
}

function Fact({ name, value, isId = false }: FactProps) {
  if (value == null) return null
  return (
    <>
      <dt>{name}</dt>
      <dd class={isId ? 'id' : undefined}>{value}</dd>
    </>
  )
}

function DateFact({ name, at }: { name: string; at: number | null | undefined }) {
  return at == null ? null : <Fact name={name} value={<Time at={at} />} />
}
