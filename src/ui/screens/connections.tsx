/** Shows the open connections and the refused attempts, each in a tab with its count. */
import { Cable, SearchX, Unplug } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { FilterBar } from '../parts/filter-bar.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { Table } from '../parts/table/table.tsx'
import { useEachTick } from '../state/clock.ts'
import {
  type Connection,
  closeConnection,
  loadConnections,
  loadRefusals,
  type Connections as Page,
} from '../state/connections.ts'
import { links, navigate, path, query } from '../state/location.ts'
import { type Resource, useResource } from '../state/resource.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { useConnectionColumns } from './connection-columns.tsx'
import { Refusals } from './refusals.tsx'

export function Connections() {
  const frame = useTexts('shell')
  const t = useTexts('connections')
  const isRefused = path.value.endsWith('/refused')
  const search = isRefused ? '' : (query.value.search ?? '')
  const rows = useRef(1)
  const open = useResource(
    `connections/${search}`,
    () => loadConnections(search, rows.current),
    ({ event }) => event === 'connection',
  )
  const refusals = useResource('refusals', loadRefusals)
  useEachTick(() => {
    open.reload()
    refusals.reload()
  })
  const count = refusals.value?.reduce((sum, each) => sum + each.count, 0)
  return (
    <>
      <Heading title={frame.connections} />
      <nav class="section-tabs" aria-label={t.tabs}>
        <Tab link={links.connections()} text={t.open} count={open.value?.total} isCurrent={!isRefused} />
        <Tab link={links.refusals()} text={t.refused} count={count} isCurrent={isRefused} />
      </nav>
      {isRefused ? (
        <Refusals refusals={refusals} />
      ) : (
        <OpenConnections
          open={open}
          search={search}
          onMore={(shown) => {
            rows.current = shown + 1
            open.reload()
          }}
        />
      )}
    </>
  )
}

interface TabProps {
  readonly link: string
  readonly text: string
  readonly count: number | undefined
  readonly isCurrent: boolean
}

function Tab({ link, text, count, isCurrent }: TabProps) {
  const number = useNumberText()
  return (
    <a href={link} aria-current={isCurrent ? 'page' : undefined}>
      {text} {count !== undefined && <small class="total">{number(count)}</small>}
    </a>
  )
}

interface OpenConnectionsProps {
  readonly open: Resource<Page>
  readonly search: string
  readonly onMore: (shown: number) => void
}

function OpenConnections({ open, search, onMore }: OpenConnectionsProps) {
  const t = useTexts('connections')
  const common = useTexts('common')
  const columns = useConnectionColumns()
  const find = (value: string): void => navigate(links.connections({ search: value }), { replace: true })
  const menuOf = (connection: Connection): readonly MenuItem[] => [
    {
      label: t.end,
      icon: Unplug,
      isDanger: true,
      isButton: true,
      ask: {
        text: (
          <>
            <strong class="id">{connection.deviseId}</strong>{' '}
            <span class="id muted">{connection.address}</span>
            <br />
            {t.endAsk}
          </>
        ),
      },
      run: async () => {
        await closeConnection(connection.id).finally(open.reload)
        showToast({ text: t.endedToast({ id: connection.deviseId }) })
      },
      textFor: (error) => (error instanceof RequestError && error.status === 404 ? t.ended : undefined),
    },
  ]
  return (
    <>
      <FilterBar
        label={t.open}
        active={search === '' ? [] : [{ text: `${t.search}: ${search}`, remove: () => find('') }]}
        onClear={() => find('')}
      >
        <FilterField label={t.search} value={search} placeholder={t.searchHint} isMain onApply={find} />
      </FilterBar>
      <Loaded from={open}>
        {({ items, next }) => (
          <>
            {items.length > 0 ? (
              <Table
                name="connections"
                label={t.open}
                columns={columns}
                rows={items}
                keyOf={({ id }) => String(id)}
                listKey={`connections/${search}`}
                linkOf={({ deviseId }) => links.device(deviseId)}
                menuOf={mayChange.value ? menuOf : undefined}
              />
            ) : (
              <NoConnections isSearched={search !== ''} />
            )}
            {next !== null && (
              <div class="pager">
                <button type="button" class="quiet" onClick={() => onMore(items.length)}>
                  {common.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
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
