/** Lists the open connections and the refusals. */

import { Cable, SearchX, Unplug } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Ago, Time } from '../parts/time.tsx'
import { useEachTick } from '../state/clock.ts'
import { type Connection, closeConnection, loadConnections } from '../state/connections.ts'
import { suggestedDevices } from '../state/draft.ts'
import { links, linkTo, navigate, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { Refusals } from './refusals.tsx'

export function Connections() {
  const frame = useTexts('shell')
  return (
    <>
      <Heading title={frame.connections} />
      <OpenConnections />
      <Refusals />
    </>
  )
}

function OpenConnections() {
  const t = useTexts('connections')
  const common = useTexts('common')
  const deviceId = query.value.deviseId ?? ''
  const rows = useRef(1)
  const open = useResource(
    `connections/${deviceId}`,
    () => loadConnections(deviceId, rows.current),
    ({ event }) => event === 'connection',
  )
  useEachTick(open.reload)
  const [asked, setAsked] = useState<Connection | null>(null)
  const close = (): void => {
    setAsked(null)
    open.reload()
  }
  return (
    <section aria-labelledby="open">
      <h2 id="open">{t.open}</h2>
      <search class="filter-bar">
        <div class="fields open">
          <FilterField
            label={t.search}
            value={deviceId}
            placeholder={t.exact}
            load={suggestedDevices}
            isMain
            onApply={(deviseId) => navigate(linkTo('/connections', { deviseId }), { replace: true })}
          />
        </div>
      </search>
      <Loaded from={open}>
        {({ items, next }) => (
          <>
            {items.length > 0 ? (
              <ConnectionsTable connections={items} onEnd={setAsked} />
            ) : (
              <NoConnections isSearched={deviceId !== ''} />
            )}
            {next !== null && (
              <div class="pager">
                <button
                  type="button"
                  class="quiet"
                  onClick={() => {
                    rows.current = items.length + 1
                    open.reload()
                  }}
                >
                  {common.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {asked && (
        <Confirm
          title={t.end}
          action={t.end}
          isDanger
          run={() => closeConnection(asked.id)}
          textFor={(error) => (error instanceof RequestError && error.status === 404 ? t.ended : undefined)}
          onDone={close}
          onClose={close}
        >
          <p>
            <strong class="id">{asked.deviseId}</strong> <span class="id muted">{asked.address}</span>
          </p>
          <p>{t.endAsk}</p>
        </Confirm>
      )}
    </section>
  )
}

function NoConnections({ isSearched }: { isSearched: boolean }) {
  const t = useTexts('connections')
  if (isSearched) return <Empty icon={SearchX} title={t.noneOf} />
  return (
    <Empty icon={Cable} title={t.empty}>
      <p>{t.emptyHint}</p>
    </Empty>
  )
}

interface ConnectionsTableProps {
  readonly connections: readonly Connection[]
  readonly onEnd: (connection: Connection) => void
}

function ConnectionsTable({ connections, onEnd }: ConnectionsTableProps) {
  const t = useTexts('connections')
  const common = useTexts('common')
  return (
    <div class="card table">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.who}</th>
            <th scope="col">{t.takes}</th>
            <th scope="col">{t.over}</th>
            <th scope="col">{t.address}</th>
            <th scope="col">{t.since}</th>
            <th scope="col">{t.last}</th>
            <th scope="col">
              <span class="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {connections.map((each) => (
            <Row key={each.id} connection={each} onEnd={() => onEnd(each)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ connection, onEnd }: { connection: Connection; onEnd: () => void }) {
  const t = useTexts('connections')
  const { clientId, deviseId, devices, address, transport, protocol, version, since, lastPacketDate } =
    connection
  return (
    <tr>
      <th scope="row" data-label={t.who}>
        <span class="two-lines">
          <span class="id">{deviseId}</span>
          {clientId !== deviseId && (
            <small class="id muted" title={t.clientId}>
              {clientId || `${t.clientId}: ${t.noClientId}`}
            </small>
          )}
        </span>
      </th>
      <td data-label={t.takes} class="id" title={`${t.subscriptions}: ${connection.subscriptions}`}>
        {devices.length === 0 ? (
          <span class="muted">{t.takesNone}</span>
        ) : (
          <span>
            {devices.map((each, i) => (
              <span key={each}>
                {i > 0 && ', '}
                <a href={links.device(each)}>{each}</a>
              </span>
            ))}
          </span>
        )}
      </td>
      <td data-label={t.over}>
        <span>
          {transport}{' '}
          <small class="muted">
            {protocol} {version}
          </small>
        </span>
      </td>
      <td data-label={t.address} class="id">
        {address}
      </td>
      <td data-label={t.since}>
        <Time at={since} />
      </td>
      <td data-label={t.last}>
        <Ago at={lastPacketDate} />
      </td>
      <td class="number">
        <AdminOnly>
          <span class="actions">
            <button type="button" class="small quiet" onClick={onEnd}>
              <Unplug size={14} aria-hidden="true" /> {t.end}
            </button>
          </span>
        </AdminOnly>
      </td>
    </tr>
  )
}
