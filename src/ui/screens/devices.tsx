/** Lists the devices with presence and problems. Filters and sort are in the address. */

import { Download, Plus, Radio, SearchX, Send, Upload } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { FilterBar } from '../parts/filter-bar.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { type Preset, Presets } from '../parts/presets.tsx'
import { Problem } from '../parts/problem.tsx'
import { SelectionBar } from '../parts/selection-bar.tsx'
import { useEachTick } from '../state/clock.ts'
import {
  type Device,
  type DeviceCounts,
  downloadClients,
  downloadDevices,
  loadDeviceCounts,
  loadDevices,
} from '../state/devices.ts'
import { sendTo } from '../state/draft.ts'
import { links, navigate, type Query, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useSelection } from '../state/selection.ts'
import { mayChange } from '../state/session.ts'
import { useKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { CancelPending } from './cancel-pending.tsx'
import { DevicesTable } from './devices-table.tsx'
import { ImportClients } from './lazy-import.tsx'
import { NewDevice } from './new-device.tsx'

export function Devices() {
  const frame = useTexts('shell')
  const common = useTexts('common')
  const t = useTexts('devices')
  const number = useNumberText()
  const filters = query.value
  const listKey = JSON.stringify(filters)
  const rows = useRef(1)
  const devices = useResource(
    `devices/${listKey}`,
    () => loadDevices(filters, rows.current),
    () => true,
  )
  const counts = useResource('devices/counts', loadDeviceCounts, () => true)
  // No live event reports that a device becomes blocked, silent or away.
  useEachTick(() => {
    devices.reload()
    counts.reload()
  })
  const [dialog, setDialog] = useState<'new' | 'import' | null>(null)
  const [cancelled, setCancelled] = useState<readonly Device[] | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const selection = useSelection(listKey)
  const items = devices.value?.items ?? []
  const selected = items.filter(({ deviseId }) => selection.keys.has(deviseId))
  const go = (change: Query): void => navigate(links.devices({ ...filters, ...change }), { replace: true })
  useKeys({
    c: () => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row
      const ids = selection.keys.size > 0 ? [...selection.keys] : focused ? [focused] : []
      if (!mayChange.value || ids.length === 0) return false
      sendTo(ids)
    },
  })
  const close = (): void => {
    setDialog(null)
    devices.reload()
    counts.reload()
  }
  return (
    <>
      <Heading
        title={frame.devices}
        actions={
          <>
            <AdminOnly>
              <button type="button" class="quiet" onClick={() => setDialog('import')}>
                <Upload size={15} aria-hidden="true" /> {t.import}
              </button>
            </AdminOnly>
            <button
              type="button"
              class="quiet"
              title={t.exportHint}
              onClick={() => void downloadClients().then(() => setProblem(null), setProblem)}
            >
              <Download size={15} aria-hidden="true" /> {t.export}
            </button>
            <AdminOnly>
              <button type="button" onClick={() => setDialog('new')}>
                <Plus size={16} aria-hidden="true" /> {t.create}
              </button>
            </AdminOnly>
          </>
        }
      >
        {frame.devices}
        {counts.value && <small class="total">{number(counts.value.all)}</small>}
      </Heading>
      {problem !== null && <Problem error={problem} />}
      <Presets list="devices" presets={usePresets(counts.value)} />
      <FilterBar
        label={frame.devices}
        active={useActive(filters, go)}
        onClear={() => navigate(links.devices())}
      >
        <FilterField
          label={t.search}
          value={filters.search ?? ''}
          placeholder={t.searchHint}
          isMain
          onApply={(search) => go({ search })}
        />
      </FilterBar>
      <Loaded from={devices}>
        {({ next }) => (
          <>
            {items.length > 0 ? (
              <DevicesTable
                listKey={listKey}
                devices={items}
                sort={{ key: filters.sort ?? 'id', isDescending: filters.order === 'desc' }}
                onSort={({ key, isDescending }) =>
                  go({ sort: key === 'id' ? '' : key, order: isDescending ? 'desc' : '' })
                }
                selection={mayChange.value ? selection : undefined}
                onCancel={setCancelled}
              />
            ) : (
              <NoDevices
                isFiltered={Object.keys(filters).some((name) => name !== 'sort' && name !== 'order')}
                onCreate={() => setDialog('new')}
              />
            )}
            {next !== null && (
              <div class="pager">
                <button
                  type="button"
                  class="quiet"
                  onClick={() => {
                    rows.current = items.length + 1
                    devices.reload()
                  }}
                >
                  {common.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      <AdminOnly>
        <SelectionBar
          selection={selection}
          loaded={items.length}
          limited={<SendToSelected devices={selected} />}
        >
          <SelectedActions devices={selected} onCancel={setCancelled} />
        </SelectionBar>
      </AdminOnly>
      {dialog === 'new' && <NewDevice onClose={close} />}
      {dialog === 'import' && <ImportClients onClose={close} />}
      {cancelled && (
        <CancelPending
          devices={cancelled}
          onClose={() => {
            setCancelled(null)
            close()
          }}
        />
      )}
    </>
  )
}

interface SelectedActionsProps {
  readonly devices: readonly Device[]
  readonly onCancel: (devices: readonly Device[]) => void
}

function SendToSelected({ devices }: { devices: readonly Device[] }) {
  const t = useTexts('device')
  return (
    <a class="button small" href={links.sendTo(devices.map(({ deviseId }) => deviseId))}>
      <Send size={14} aria-hidden="true" /> {t.send}
    </a>
  )
}

function SelectedActions({ devices, onCancel }: SelectedActionsProps) {
  const t = useTexts('devices')
  const withPending = devices.filter(({ waiting }) => waiting > 0)
  const pending = withPending.reduce((sum, { waiting }) => sum + waiting, 0)
  return (
    <>
      {pending > 0 && (
        <button type="button" class="small quiet" onClick={() => onCancel(withPending)}>
          {t.cancelPending(pending)}
        </button>
      )}
      <button type="button" class="small quiet" onClick={() => downloadDevices(devices)}>
        <Download size={14} aria-hidden="true" /> {t.exportSelected}
      </button>
    </>
  )
}

function usePresets(counts: DeviceCounts | undefined): readonly Preset[] {
  const t = useTexts('devices')
  return [
    { label: t.online, query: { state: 'ONLINE' }, count: counts?.online },
    { label: t.awayPending, query: { state: 'AWAY,UNSEEN', with: 'PENDING' }, count: counts?.awayPending },
    { label: t.blocked, query: { with: 'BLOCKED' }, count: counts?.blocked },
    { label: t.parked, query: { with: 'PARKED' }, count: counts?.parked },
    { label: t.failing, query: { with: 'FAILED' }, count: counts?.failed },
    { label: t.busy, query: { with: 'BUSY' }, count: counts?.busy },
    { label: t.silent, query: { with: 'SILENT' }, count: counts?.silent },
    { label: t.outOfService, query: { with: 'SERVICE' }, count: counts?.outOfService },
  ]
}

function useActive(filters: Query, go: (change: Query) => void) {
  const t = useTexts('devices')
  const states: Query = { ONLINE: t.online, RECENT: t.recently, AWAY: t.away, UNSEEN: t.unseen }
  const conditions: Query = {
    PENDING: t.pending,
    BLOCKED: t.blocked,
    PARKED: t.parked,
    FAILED: t.failing,
    BUSY: t.busy,
    SILENT: t.silent,
    SERVICE: t.outOfService,
  }
  const words = (list: string, of: Query): string =>
    list
      .split(',')
      .map((each) => of[each] ?? each)
      .join(', ')
  return [
    ...(filters.search ? [{ text: `${t.search}: ${filters.search}`, remove: () => go({ search: '' }) }] : []),
    ...(filters.state
      ? [{ text: `${t.state}: ${words(filters.state, states)}`, remove: () => go({ state: '' }) }]
      : []),
    ...(filters.with ? [{ text: words(filters.with, conditions), remove: () => go({ with: '' }) }] : []),
  ]
}

function NoDevices({ isFiltered, onCreate }: { isFiltered: boolean; onCreate: () => void }) {
  const t = useTexts('devices')
  if (isFiltered) return <Empty icon={SearchX} title={t.noneFound} />
  return (
    <Empty icon={Radio} title={t.empty}>
      <p>{t.emptyHint}</p>
      <AdminOnly>
        <button type="button" onClick={onCreate}>
          <Plus size={16} aria-hidden="true" /> {t.create}
        </button>
      </AdminOnly>
    </Empty>
  )
}
