/** Shows one device: its presence, its queue, its latest messages and how to connect it. */

import { KeyRound, Pencil, Send, TimerOff, UserPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded, Problem } from '../parts/loaded.tsx'
import { PresenceBadge } from '../parts/presence-badge.tsx'
import { Ago, Time } from '../parts/time.tsx'
import { useEachTick } from '../state/clock.ts'
import { type DeviceWithClient, endBusy, loadDevice } from '../state/devices.ts'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { DeviceHistory, DeviceQueue } from './device-messages.tsx'
import { SettingsForm } from './device-settings.tsx'
import { NewDevice } from './new-device.tsx'
import { NewPassword } from './new-password.tsx'
import { Snippets } from './snippets.tsx'

export function DeviceScreen({ id }: { id: string }) {
  const t = useTexts('device')
  const found = useResource(
    `device/${id}`,
    () => loadDevice(id),
    (event) => concernsDevice(event, id),
  )
  const [dialog, setDialog] = useState<'client' | 'password' | 'settings' | null>(null)
  const client = found.value?.client ?? null
  const settings = found.value?.device.settings
  const close = (): void => {
    setDialog(null)
    found.reload()
  }
  return (
    <>
      <Heading
        title={id}
        actions={
          <AdminOnly>
            <button type="button" class="quiet" onClick={() => setDialog('settings')}>
              <Pencil size={15} aria-hidden="true" /> {t.settings}
            </button>
            {client && (
              <button type="button" class="quiet" onClick={() => setDialog('password')}>
                <KeyRound size={15} aria-hidden="true" /> {t.newPassword}
              </button>
            )}
            <a class="button primary" href={links.send({ deviseId: id })}>
              <Send size={15} aria-hidden="true" /> {t.send}
            </a>
          </AdminOnly>
        }
      >
        <span class="id">{id}</span>
        {found.value && <PresenceBadge device={found.value.device} />}
      </Heading>
      <Loaded from={found}>
        {(value) => (
          <>
            <Busy id={id} until={value.device.busyUntilDate ?? null} onEnd={found.reload} />
            <Facts {...value} onMakeClient={() => setDialog('client')} />
          </>
        )}
      </Loaded>
      <DeviceQueue id={id} />
      <DeviceHistory id={id} />
      <Snippets id={id} />
      {dialog === 'client' && <NewDevice id={id} onClose={close} />}
      {dialog === 'settings' && settings && <SettingsForm id={id} settings={settings} onClose={close} />}
      {dialog === 'password' && client && <NewPassword client={client} onClose={() => setDialog(null)} />}
    </>
  )
}

/** Says until when the device wants no command, and ends that. */
function Busy({ id, until, onEnd }: { id: string; until: number | null; onEnd: () => void }) {
  const t = useTexts('device')
  const [problem, setProblem] = useState<unknown>(null)
  // No live event tells that the time is over.
  useEachTick(() => {
    if (until !== null) onEnd()
  })
  if (until === null) return null
  const end = (): void => {
    endBusy(id).then(onEnd, setProblem)
  }
  return (
    <div class="notice wait">
      <span>
        {t.busyUntil} <Time at={until} />
      </span>
      <AdminOnly>
        <button type="button" class="small quiet" onClick={end}>
          <TimerOff size={14} aria-hidden="true" /> {t.endBusy}
        </button>
      </AdminOnly>
      {problem !== null && <Problem error={problem} />}
    </div>
  )
}

function Facts({ device, client, onMakeClient }: DeviceWithClient & { onMakeClient: () => void }) {
  const t = useTexts('device')
  const list = useTexts('devices')
  return (
    <>
      {!client && (
        <div class="notice wait">
          <span>{t.noClient}</span>
          <AdminOnly>
            <button type="button" class="small quiet" onClick={onMakeClient}>
              <UserPlus size={14} aria-hidden="true" /> {t.makeClient}
            </button>
          </AdminOnly>
        </div>
      )}
      {client?.description && <p class="lead">{client.description}</p>}
      <dl class="facts">
        <div>
          <dt>{list.lastSeen}</dt>
          <dd>
            <Ago at={device.transport === null ? device.lastSeenDate : Date.now()} />
          </dd>
        </div>
        <div>
          <dt>{list.waiting}</dt>
          <dd>{device.waiting}</dd>
        </div>
        {device.oldestWaitingDate !== null && (
          <div>
            <dt>{list.oldestWaiting}</dt>
            <dd>
              <Ago at={device.oldestWaitingDate} />
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}
