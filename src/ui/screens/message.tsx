/** Shows one message: its timeline, its data, its sender and its actions. */
import { MailX } from 'lucide-preact'
import { Fragment } from 'preact'
import { RequestError } from '../../client/index.ts'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Payload } from '../parts/payload.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { durationText, Time } from '../parts/time.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { useEachTick } from '../state/clock.ts'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { loadMessage, type MessageDetail } from '../state/message.ts'
import { type Resource, useResource } from '../state/resource.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { MessageActions } from './message-actions.tsx'

export function MessageScreen({ id }: { id: number }) {
  const t = useTexts('message')
  const message: Resource<MessageDetail> = useResource(
    `message/${id}`,
    () => loadMessage(id),
    // Changes of other messages of the device count too, since they change why this message is pending.
    (event) => message.value === undefined || concernsDevice(event, message.value.deviseId),
  )
  const { error, value } = message
  // A redelivery changes no status, so there is no live event for it.
  useEachTick(() => {
    if (value?.waits) message.reload()
  })
  const isGone = error instanceof RequestError && (error.status === 404 || error.status === 400)
  return (
    <>
      <Heading
        title={t.title({ id })}
        actions={value && !isGone && <MessageActions message={value} onChange={message.reload} />}
      >
        {t.title({ id })}
        {value && !isGone && <StatusBadge status={value.deliveryStatus} cause={value.cause} />}
      </Heading>
      {isGone ? (
        <Empty icon={MailX} title={t.gone}>
          <p>{t.goneHint}</p>
        </Empty>
      ) : (
        <Loaded from={message}>{(each) => <MessageCards message={each} />}</Loaded>
      )}
    </>
  )
}

function MessageCards({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  return (
    <>
      <p class="waybill">
        <a class="id" href={links.device(message.deviseId)}>
          {message.deviseId}
        </a>
        <span aria-hidden="true">←</span>
        <strong class="id">{message.command}</strong>
      </p>
      <div class="message">
        <div class="card">
          <h2>{t.timeline}</h2>
          <Timeline message={message} />
        </div>
        <div class="contents">
          <div class="card">
            <h2>{t.payload}</h2>
            <Payload json={message.data} copy={t.copyData} />
            <Details message={message} />
          </div>
          <ReportCard message={message} />
        </div>
      </div>
    </>
  )
}

/** Shows what the device reported beside its status. */
function ReportCard({ message: { result, reason, resultDropped } }: { message: MessageDetail }) {
  const t = useTexts('message')
  if (result === null && reason == null && !resultDropped) return null
  return (
    <div class="card">
      <h2>{t.report}</h2>
      {reason != null && <p>{reason}</p>}
      {resultDropped && <p class="muted">{t.resultDropped}</p>}
      {result !== null && <Payload json={result} copy={t.copyResult} />}
    </div>
  )
}

function Details({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  const guarantees = useTexts('guarantees')
  const locale = useLocale()
  const { createdDate, deliveryGuarantee, senderDeviseId, producerDeviseId, tmpId, history } = message
  const last = history.at(-1)
  const isDone = last && message.waits === null && last.date > createdDate
  return (
    <dl class="details">
      <dt>{t.guarantee}</dt>
      <dd title={deliveryGuarantee}>{guarantees[deliveryGuarantee]}</dd>
      <dt>{t.sender}</dt>
      <dd class="id">{senderDeviseId ?? t.unknownSender}</dd>
      {producerDeviseId !== null && (
        <>
          <dt>{t.producer}</dt>
          <dd class="id">{producerDeviseId}</dd>
        </>
      )}
      {tmpId !== null && (
        <>
          <dt>{t.tmpId}</dt>
          <dd>{tmpId}</dd>
        </>
      )}
      {isDone && (
        <>
          <dt>{t.took}</dt>
          <dd>{durationText(last.date - createdDate, locale)}</dd>
        </>
      )}
      <Terms message={message} />
    </dl>
  )
}

/** Shows the limits of the message in time and attempts. */
function Terms({ message: { terms, deliveryStatus, idempotencyKey, repeats } }: { message: MessageDetail }) {
  const t = useTexts('message')
  const isPending = deliveryStatus === 'NOT_DELIVERED'
  const dates = [
    [t.due, isPending ? terms?.dueDate : null],
    [t.expires, isPending ? terms?.expiresDate : null],
    [t.finish, terms?.finishDate],
  ] as const
  return (
    <>
      {dates.map(
        ([label, date]) =>
          date != null && (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd>
                <Time at={date} />
              </dd>
            </Fragment>
          ),
      )}
      {terms?.maxAttempts != null && (
        <>
          <dt>{t.maxAttempts}</dt>
          <dd>{terms.maxAttempts}</dd>
        </>
      )}
      {idempotencyKey != null && (
        <>
          <dt>{t.idempotencyKey}</dt>
          <dd class="id">{idempotencyKey}</dd>
          <dt>{t.repeats}</dt>
          <dd>{repeats ?? 0}</dd>
        </>
      )}
    </>
  )
}
