/**
 * Shows one device: its activity and the matching action, its presence, its queue, its latest messages, its settings and how to
 * connect it.
 */
import { ChevronLeft, Send } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { DeviceChart } from '../parts/device-chart.tsx'
import { Heading } from '../parts/heading.tsx'
import { Id } from '../parts/id.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PresenceBadge } from '../parts/presence-badge.tsx'
import { Ago } from '../parts/time.tsx'
import { loadNotes } from '../state/device-service.ts'
import { loadDevice } from '../state/devices.ts'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { type DeviceDialog, DeviceDialogs, DeviceMenu } from './device-menu.tsx'
import { DeviceHistory } from './device-messages.tsx'
import { DevicePresence } from './device-presence.tsx'
import { DeviceQueue } from './device-queue.tsx'
import { NotesDialog } from './device-service.tsx'
import { OwnSettings } from './device-settings.tsx'
import { DeviceStrip } from './device-strip.tsx'
import { Snippets } from './snippets.tsx'

export function DeviceScreen({ id }: { id: string }) {
  const t = useTexts('device')
  const list = useTexts('devices')
  const frame = useTexts('shell')
  const found = useResource(
    `device/${id}`,
    () => loadDevice(id),
    (event) => concernsDevice(event, id),
  )
  const notes = useResource(`notes/${id}`, () => loadNotes(id))
  const [dialog, setDialog] = useState<DeviceDialog | null>(null)
  const value = found.value
  const close = (): void => {
    setDialog(null)
    found.reload()
  }
  return (
    <>
      <a class="back" href={links.devices()}>
        <ChevronLeft size={16} aria-hidden="true" /> {frame.devices}
      </a>
      <Heading
        title={id}
        actions={
          <>
            <AdminOnly>
              <a class="button primary" href={links.send({ deviseId: id })} aria-keyshortcuts="c">
                <Send size={15} aria-hidden="true" /> {t.send}
              </a>
            </AdminOnly>
            <DeviceMenu
              id={id}
              client={value?.client ?? null}
              isOutOfService={value?.device.service != null}
              onOpen={setDialog}
            />
          </>
        }
      >
        <Id id={id} />
        {value && <PresenceBadge device={value.device} />}
      </Heading>
      <Loaded from={found} height="var(--device-state)">
        {({ device, client }) => (
          <>
            <p class="lead">
              {device.description && <span>{device.description}</span>}{' '}
              <small class="muted">
                {list.lastSeen} <Ago at={device.transport === null ? device.lastSeenDate : Date.now()} />
              </small>
            </p>
            <DeviceStrip
              device={device}
              hasLogin={client !== null}
              notes={notes.value ?? []}
              onChange={found.reload}
              onMakeLogin={() => setDialog('login')}
              onOpenNotes={() => setDialog('notes')}
            />
          </>
        )}
      </Loaded>
      <DevicePresence id={id} />
      <div class="columns">
        <DeviceQueue id={id} flight={value?.device.inFlight ?? null} onChange={found.reload} />
        <DeviceHistory id={id} />
      </div>
      <section aria-labelledby="activity">
        <h2 id="activity">{t.activity}</h2>
        <DeviceChart deviceId={id} />
      </section>
      {value?.device.settings && (
        <OwnSettings settings={value.device.settings} onChange={() => setDialog('settings')} />
      )}
      <Snippets id={id} />
      {dialog === 'notes' && (
        <NotesDialog
          id={id}
          notes={notes.value ?? []}
          onChange={notes.reload}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog && value && <DeviceDialogs {...value} id={id} dialog={dialog} onClose={close} />}
    </>
  )
}
