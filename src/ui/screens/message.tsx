/** Shows one message: its timeline, its payload, its result, its facts and its actions. */
import { ChevronLeft, ChevronRight, MailX } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { bytesText } from '../parts/bytes.ts'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Payload } from '../parts/payload.tsx'
import { PresenceBadge } from '../parts/presence-badge.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { useEachTick } from '../state/clock.ts'
import { loadDevice } from '../state/devices.ts'
import { concernsDevice } from '../state/live.ts'
import { links, navigate } from '../state/location.ts'
import { loadMessage, type MessageDetail } from '../state/message.ts'
import { neighboursOf } from '../state/message-order.ts'
import { type Resource, useResource } from '../state/resource.ts'
import { useKeys } from '../state/shortcuts.ts'
import { loadSystem } from '../state/system.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageFacts } from './message-facts.tsx'

export function MessageScreen({ id }: { id: number }) {
  const t = useTexts('message')
  const message: Resource<MessageDetail> = useResource(
    `message/${id}`,
    () => loadMessage(id),
    // Changes of other messages of the device count too, because they affect why this message is pending.
    (event) => message.value === undefined || concernsDevice(event, message.value.deviseId),
  )
  const { error, value } = message
  // A redelivery changes no status, so there is no live event for it.
  useEachTick(() => {
    if (value?.waits) message.reload()
  })
  const isGone = error instanceof RequestError && (error.status === 404 || error.status === 400)
  const shown = isGone ? undefined : value
  return (
    <>
      <Heading
        title={t.title({ id })}
        actions={
          <>
            <Neighbours id={id} message={value} />
            {shown && <MessageActions message={shown} onChange={message.reload} />}
          </>
        }
      >
        {t.title({ id })}
        {shown && <StatusBadge status={shown.deliveryStatus} cause={shown.cause} />}
      </Heading>
      {isGone ? <Gone /> : <Loaded from={message}>{(each) => <MessageCards message={each} />}</Loaded>}
    </>
  )
}

/** Says that the message does not exist, and for how long messages are kept. */
function Gone() {
  const t = useTexts('message')
  const system = useResource('system/history', loadSystem)
  const days = system.value?.settings.find(({ name }) => name === 'app.history.days')?.value
  return (
    <Empty icon={MailX} title={t.gone}>
      <p>{days === undefined ? t.goneHint : t.goneAfter(Number(days))}</p>
      <a class="button quiet" href={links.messages()}>
        {t.toMessages}
      </a>
    </Empty>
  )
}

/** Opens the older and the newer message of the list from which this message was opened. */
function Neighbours({ id, message }: { id: number; message: MessageDetail | undefined }) {
  const t = useTexts('message')
  const { previousId, nextId } = neighboursOf(id, message ?? {})
  const open = (other: number | null) => () => {
    if (other === null) return false
    navigate(links.message(other), { replace: true })
  }
  useKeys({ '[': open(previousId), ']': open(nextId) })
  return (
    <span class="neighbours">
      {(
        [
          [previousId, t.previous, '[', ChevronLeft],
          [nextId, t.next, ']', ChevronRight],
        ] as const
      ).map(([other, label, key, Icon]) => (
        <button
          key={key}
          type="button"
          class="icon"
          aria-label={label}
          aria-keyshortcuts={key}
          title={`${label} (${key})`}
          disabled={other === null}
          onClick={open(other)}
        >
          <Icon size={18} aria-hidden="true" />
        </button>
      ))}
    </span>
  )
}

const TABS = ['timeline', 'payload', 'facts'] as const

function MessageCards({ message }: { message: MessageDetail }) {
  const t = useTexts('message')
  const locale = useLocale()
  const [tab, setTab] = useState<(typeof TABS)[number]>('timeline')
  const { result, reason, resultDropped, dataBytes } = message
  return (
    <>
      <Subject message={message} />
      <fieldset class="tabs message-tabs" aria-label={t.parts}>
        {TABS.map((each) => (
          <label key={each}>
            <input type="radio" name="message-tab" checked={each === tab} onChange={() => setTab(each)} />
            {t[each]}
          </label>
        ))}
      </fieldset>
      <div class="message" data-tab={tab}>
        <div class="card of-timeline">
          <h2>{t.timeline}</h2>
          <Timeline message={message} />
        </div>
        <div class="contents">
          <div class="card of-payload">
            <h2>
              {t.payload}
              {dataBytes !== undefined && <small class="muted"> {bytesText(dataBytes, locale)}</small>}
            </h2>
            <Payload json={message.data} copy={t.copyData} />
          </div>
          {(result !== null || reason != null || resultDropped) && (
            <div class="card of-payload">
              <h2>{t.report}</h2>
              {reason != null && <p>{reason}</p>}
              {resultDropped && <p class="muted">{t.resultDropped}</p>}
              {result !== null && <Payload json={result} copy={t.copyResult} />}
            </div>
          )}
          <div class="card of-facts">
            <h2>{t.facts}</h2>
            <MessageFacts message={message} />
          </div>
        </div>
      </div>
    </>
  )
}

/** Names the device and the command, and the messages linked by a re-send. */
function Subject({ message: { deviseId, command, resentFrom, resentAs } }: { message: MessageDetail }) {
  const t = useTexts('message')
  const device = useResource(
    `device/${deviseId}`,
    () => loadDevice(deviseId),
    (event) => event.event === 'connection' && concernsDevice(event, deviseId),
  )
  return (
    <p class="waybill">
      <a class="id" href={links.device(deviseId)}>
        {deviseId}
      </a>
      <span aria-hidden="true">←</span>
      <strong class="id">{command}</strong>
      {device.value && <PresenceBadge device={device.value.device} />}
      {resentFrom != null && <a href={links.message(resentFrom)}>{t.resentFrom({ id: resentFrom })}</a>}
      {resentAs != null && <a href={links.message(resentAs)}>{t.resentAs({ id: resentAs })}</a>}
    </p>
  )
}
