/** Shows the load, the release, the addresses and the storage of the server, and offers a backup. */

import { HardDrive } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { bytesText } from '../parts/bytes.ts'
import { numberFormat } from '../parts/formats.ts'
import { Loaded } from '../parts/loaded.tsx'
import { durationText, Time } from '../parts/time.tsx'
import { nowMs } from '../state/clock.ts'
import { useResource } from '../state/resource.ts'
import { loadSystem, type System } from '../state/system.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { Backup } from './backup.tsx'

const READ_MS = 5_000

export function SystemState() {
  const system = useResource('system', loadSystem)
  useEffect(() => {
    const timer = setInterval(system.reload, READ_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Loaded from={system}>
      {(value) => (
        <>
          <LoadCard system={value} />
          <ReleaseCard system={value} />
          <div class="cards">
            <StorageCard system={value} />
            <AdminOnly>
              <Backup databaseBytes={value.storage.databaseBytes} />
            </AdminOnly>
          </div>
        </>
      )}
    </Loaded>
  )
}

/** Shows the load of the process. An unknown figure is a dash. */
function LoadCard({ system: { process: load } }: { system: System }) {
  const t = useTexts('system')
  const common = useTexts('common')
  const locale = useLocale()
  const number = numberFormat(locale, { maximumFractionDigits: 1 })
  const ms = (value: number | null): string =>
    value === null ? common.none : t.ms({ count: number.format(value) })
  if (!load) return null
  return (
    <div class="card load-card">
      <dl class="facts">
        <Fact name={t.cpu}>{number.format(load.cpuPercent)} %</Fact>
        <Fact name={t.memory}>{bytesText(load.memoryBytes, locale)}</Fact>
        <Fact name={t.lag}>{ms(load.lagP99Ms)}</Fact>
        <Fact name={t.commit}>{load.commitP99Ms === null ? common.none : `≈ ${ms(load.commitP99Ms)}`}</Fact>
      </dl>
    </div>
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
  const number = numberFormat(locale)
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
