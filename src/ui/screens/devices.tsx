/** Lists all devices with presence, pending messages and last command. */

import { Download, Plus, Radio, SearchX, Upload } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Heading } from '../parts/heading.tsx'
import { lazy } from '../parts/lazy.tsx'
import { Empty, Loaded, Problem } from '../parts/loaded.tsx'
import { downloadClients, loadDevices } from '../state/devices.ts'
import { links, navigate, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { DevicesTable } from './devices-table.tsx'
import { NewDevice } from './new-device.tsx'

const ImportClients = lazy(async () => (await import('./import-clients.tsx')).ImportClients)

export function Devices() {
  const frame = useTexts('shell')
  const common = useTexts('common')
  const t = useTexts('devices')
  const search = query.value.search ?? ''
  const rows = useRef(1)
  const devices = useResource(
    `devices/${search}`,
    () => loadDevices(search, rows.current),
    () => true,
  )
  const [dialog, setDialog] = useState<'new' | 'import' | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const close = (): void => {
    setDialog(null)
    devices.reload()
  }
  return (
    <>
      <Heading
        title={frame.devices}
        actions={
          <>
            <button
              type="button"
              class="quiet"
              title={t.exportHint}
              onClick={() => void downloadClients().then(() => setProblem(null), setProblem)}
            >
              <Download size={15} aria-hidden="true" /> {t.export}
            </button>
            <AdminOnly>
              <button type="button" class="quiet" onClick={() => setDialog('import')}>
                <Upload size={15} aria-hidden="true" /> {t.import}
              </button>
              <button type="button" onClick={() => setDialog('new')}>
                <Plus size={16} aria-hidden="true" /> {t.create}
              </button>
            </AdminOnly>
          </>
        }
      />
      {problem !== null && <Problem error={problem} />}
      <search class="filters">
        <label>
          {t.search}
          <input
            type="search"
            value={search}
            onInput={({ currentTarget }) =>
              navigate(links.devices(currentTarget.value.trim()), { replace: true })
            }
          />
        </label>
      </search>
      <Loaded from={devices}>
        {({ items, next }) => (
          <>
            {items.length > 0 ? <DevicesTable devices={items} /> : <NoDevices isSearched={search !== ''} />}
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
      {dialog === 'new' && <NewDevice onClose={close} />}
      {dialog === 'import' && <ImportClients onClose={close} />}
    </>
  )
}

function NoDevices({ isSearched }: { isSearched: boolean }) {
  const t = useTexts('devices')
  if (isSearched) return <Empty icon={SearchX} title={t.noneFound} />
  return (
    <Empty icon={Radio} title={t.empty}>
      <p>{t.emptyHint}</p>
    </Empty>
  )
}
