/** Shows the release, the addresses, the storage and the settings of the server, and offers a backup. */

import { HardDrive } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { AdminOnly } from '../parts/admin-only.tsx'
import { bytesText } from '../parts/bytes.ts'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { durationText, Time } from '../parts/time.tsx'
import { nowMs, useEachTick } from '../state/clock.ts'
import { useResource } from '../state/resource.ts'
import { loadSystem, type System } from '../state/system.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { Audit } from './audit.tsx'
import { Backup } from './backup.tsx'
import { SettingsTable } from './settings-table.tsx'

export function SystemScreen() {
  const frame = useTexts('shell')
  const system = useResource('system', loadSystem)
  useEachTick(system.reload)
  return (
    <>
      <Heading title={frame.system} />
      <Loaded from={system}>
        {(value) => (
          <>
            <ReleaseCard system={value} />
            <div class="cards">
              <StorageCard system={value} />
              <AdminOnly>
                <Backup databaseBytes={value.storage.databaseBytes} />
              </AdminOnly>
            </div>
            <SettingsTable settings={value.settings} />
            <Audit />
          </>
        )}
      </Loaded>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function ReleaseCard({ system }: { system: System }) {
  const t = useTexts('system')
  const locale = useLocale()
  const { version, nodeVersion, adapter, startedDate, listeners, counts } = system
  const number = new Intl.NumberFormat(locale)
  return (
    <div class="card">
      <dl class="facts">
        <Fact name={t.version}>{version}</Fact>
        <Fact name={t.node}>{nodeVersion}</Fact>
        <Fact name={t.adapter}>{adapter}</Fact>
        <Fact name={t.up}>{durationText(Math.max(0, nowMs.value - startedDate), locale)}</Fact>
        <Fact name={t.started}>
          <Time at={startedDate} />
        </Fact>
        <Fact name={t.clients}>{number.format(counts.clients)}</Fact>
        <Fact name={t.templates}>{number.format(counts.templates)}</Fact>
        <Fact name={t.waiting}>{number.format(counts.waiting)}</Fact>
        <Fact name={t.messages}>{number.format(counts.messagesAtMost)}</Fact>
        <Fact name={t.listens}>
          {listeners.map(({ url }) => (
            <span key={url} class="id listener">
              {url}
            </span>
          ))}
        </Fact>
      </dl>
    </div>
  )
}

function StorageCard({ system: { storage } }: { system: System }) {
  const t = useTexts('system')
  const locale = useLocale()
  const { directory, databaseBytes, logBytes, freeBytes, diskBytes, failedDate } = storage
  const shown = (bytes: number): string => bytesText(bytes, locale)
  return (
    <div class="card">
      <h2>{t.storage}</h2>
      {failedDate !== null && (
        <p class="notice bad" role="alert">
          <HardDrive size={18} aria-hidden="true" /> {t.failed} <Time at={failedDate} />
        </p>
      )}
      <dl class="addresses">
        <dt>{t.directory}</dt>
        <dd class="id">{directory}</dd>
        <dt>{t.database}</dt>
        <dd>{shown(databaseBytes)}</dd>
        <dt>{t.log}</dt>
        <dd>{shown(logBytes)}</dd>
      </dl>
      {freeBytes !== null && diskBytes !== null && <Room freeBytes={freeBytes} diskBytes={diskBytes} />}
    </div>
  )
}

function Room({ freeBytes, diskBytes }: { freeBytes: number; diskBytes: number }) {
  const t = useTexts('system')
  const locale = useLocale()
  const room = t.free({ free: bytesText(freeBytes, locale), all: bytesText(diskBytes, locale) })
  return (
    <>
      <meter
        min={0}
        max={diskBytes}
        high={diskBytes * 0.95}
        value={diskBytes - freeBytes}
        aria-label={t.used}
        title={room}
      />
      <small class="muted">{room}</small>
    </>
  )
}
