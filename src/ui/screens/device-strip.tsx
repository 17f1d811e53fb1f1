/**
 * Shows in one line the activity of a device, with the matching action: cancel, end busy, return to service, replay,
 * create a login.
 */
import { Ban, RotateCcw, TimerOff, UserPlus } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type DeviceNote, RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Problem } from '../parts/problem.tsx'
import { QuestionButton } from '../parts/question.tsx'
import { durationText, Time } from '../parts/time.tsx'
import { nowMs, useEachTick } from '../state/clock.ts'
import { type Device, endBusy } from '../state/devices.ts'
import { links } from '../state/location.ts'
import { cancelMessage, replayParked } from '../state/message.ts'
import { showToast } from '../state/toasts.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { NewestNote, OutOfService } from './device-service.tsx'

interface DeviceStripProps {
  readonly device: Device
  readonly hasLogin: boolean
  /** Notes about the device, the newest first. */
  readonly notes: readonly DeviceNote[]
  /** Called after an action, and when a time of the strip has passed. */
  readonly onChange: () => void
  readonly onMakeLogin: () => void
  readonly onOpenNotes: () => void
}

export function DeviceStrip({
  device,
  hasLogin,
  notes,
  onChange,
  onMakeLogin,
  onOpenNotes,
}: DeviceStripProps) {
  const t = useTexts('device')
  // No live event reports the end of a pause, or the start or end of an attempt.
  useEachTick(() => {
    if (device.waiting > 0 || device.busyUntilDate != null || device.service?.untilDate != null) onChange()
  })
  return (
    <div class={`strip ${toneOf(device)}`} role="status">
      {device.service && <OutOfService id={device.deviseId} service={device.service} onChange={onChange} />}
      <Doing device={device} onChange={onChange} />
      {(device.parked ?? 0) > 0 && <Parked device={device} onChange={onChange} />}
      {!hasLogin && (
        <Part text={t.noLogin} title={t.noClient}>
          <button type="button" class="small quiet" onClick={onMakeLogin}>
            <UserPlus size={14} aria-hidden="true" /> {t.makeClient}
          </button>
        </Part>
      )}
      <NewestNote notes={notes} onOpen={onOpenNotes} />
    </div>
  )
}

function toneOf({ blockedSinceDate, inFlight, busyUntilDate, parked, service }: Device): string {
  if (service != null) return 'wait'
  if (blockedSinceDate != null) return 'bad'
  return inFlight || busyUntilDate != null || (parked ?? 0) > 0 ? 'wait' : 'calm'
}

interface PartProps {
  readonly text: ComponentChildren
  readonly title?: string
  readonly children?: ComponentChildren
}

function Part({ text, title, children }: PartProps) {
  return (
    <div class="part" title={title}>
      <span>{text}</span>
      <AdminOnly>{children}</AdminOnly>
    </div>
  )
}

function Doing({ device, onChange }: { device: Device; onChange: () => void }) {
  const t = useTexts('device')
  const { busyUntilDate, pacedUntilDate, inFlight, transport, state, waiting } = device
  if (inFlight) return <Flight device={device} flight={inFlight} onChange={onChange} />
  if (busyUntilDate != null) return <Busy id={device.deviseId} until={busyUntilDate} onChange={onChange} />
  if (pacedUntilDate != null && waiting > 0) {
    return (
      <Part
        text={
          <>
            {t.paced} <Time at={pacedUntilDate} />
          </>
        }
      />
    )
  }
  if (waiting === 0) return <Part text={t.idle} title={t.idleHint} />
  const isAway = transport === null && state !== 'RECENT'
  return <Part text={isAway ? t.awayPending(waiting) : t.pendingNow(waiting)} />
}

type Flight = NonNullable<Device['inFlight']>

interface FlightProps {
  readonly device: Device
  readonly flight: Flight
  readonly onChange: () => void
}

function Flight({ device: { blockedSinceDate }, flight, onChange }: FlightProps) {
  const t = useTexts('device')
  const locale = useLocale()
  const { id, command, attempt, maxAttempts, sinceDate, until } = flight
  const number =
    maxAttempts === null ? t.attempt({ number: attempt }) : t.attemptOf({ number: attempt, max: maxAttempts })
  const isBlocked = blockedSinceDate != null
  return (
    <Part
      text={
        <>
          {isBlocked ? (
            <strong>{t.blocked({ time: durationText(nowMs.value - blockedSinceDate, locale) })}</strong>
          ) : (
            <>
              {t.inFlight} <Time at={sinceDate} />
            </>
          )}
          {': '}
          <a href={links.message(id)}>
            № {id} <span class="id">{command}</span>
          </a>
          , {number},{' '}
          {until === undefined ? (
            t.nextPoll
          ) : (
            <>
              {isBlocked ? t.next : t.until} <Time at={until} />
            </>
          )}
        </>
      }
    >
      <CancelFlight flight={flight} onChange={onChange} />
    </Part>
  )
}

/** Cancels the message in flight, which the device may have. The queue continues. */
function CancelFlight({ flight: { id, command }, onChange }: { flight: Flight; onChange: () => void }) {
  const t = useTexts('device')
  const message = useTexts('message')
  const [isAsking, setAsking] = useState(false)
  const close = (): void => {
    setAsking(false)
    onChange()
  }
  return (
    <>
      <button type="button" class="small" onClick={() => setAsking(true)}>
        <Ban size={14} aria-hidden="true" /> {t.cancel}
      </button>
      {isAsking && (
        <Confirm
          title={t.cancel}
          action={t.cancelAnyway}
          dismiss={message.keep}
          isDanger
          run={async () => {
            await cancelMessage(id, true)
            showToast({
              text: message.cancelled({ id }),
              link: { href: links.message(id), label: t.openMessage },
            })
          }}
          textFor={(error) =>
            error instanceof RequestError && error.status === 409 ? message.ended : undefined
          }
          onDone={close}
          onClose={close}
        >
          <p>
            № {id} <strong class="id">{command}</strong>
          </p>
          <p>{message.cancelInFlightAsk}</p>
        </Confirm>
      )}
    </>
  )
}

function Busy({ id, until, onChange }: { id: string; until: number; onChange: () => void }) {
  const t = useTexts('device')
  const [problem, setProblem] = useState<unknown>(null)
  const end = (): void => {
    endBusy(id)
      .then(() => showToast({ text: t.busyEnded }))
      .then(onChange, setProblem)
  }
  return (
    <Part
      text={
        <>
          {t.busyUntil} <Time at={until} />
        </>
      }
    >
      <button type="button" class="small quiet" onClick={end}>
        <TimerOff size={14} aria-hidden="true" /> {t.endBusy}
      </button>
      {problem !== null && <Problem error={problem} />}
    </Part>
  )
}

function Parked({ device: { deviseId, parked = 0 }, onChange }: { device: Device; onChange: () => void }) {
  const t = useTexts('device')
  const filters = { deviseId, status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }
  return (
    <Part text={<a href={links.messages(filters)}>{t.parked(parked)}</a>}>
      <QuestionButton
        label={
          <>
            <RotateCcw size={14} aria-hidden="true" /> {t.replayAll}
          </>
        }
        action={t.replayAll}
        question={<p>{t.replayAsk(parked)}</p>}
        run={async () => {
          const { skipped } = await replayParked({ deviseId })
          showToast({ text: t.replayed(Math.max(0, parked - skipped)) })
        }}
        onDone={onChange}
      />
    </Part>
  )
}
