/** Shows logins as a table, with the columns of people, or of devices and programs. */
import { KeyRound, SearchX } from 'lucide-preact'
import { Empty } from '../parts/loaded.tsx'
import { RoleBadge } from '../parts/role-badge.tsx'
import type { Column, Sort } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Ago } from '../parts/time.tsx'
import type { Client } from '../state/clients.ts'
import { linkTo, navigate, path, query } from '../state/location.ts'
import { mayChange, session } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

/** Maximum rows on the screen. The search finds other logins. */
const MAX_ROWS = 200

interface AccessTableProps {
  readonly clients: readonly Client[]
  readonly kind: 'people' | 'devices'
  readonly linkOf: (client: Client) => string
  readonly onPassword: (client: Client) => void
}

export function AccessTable({ clients, kind, linkOf, onPassword }: AccessTableProps) {
  const t = useTexts('access')
  const texts = useTexts('clients')
  const columns = useColumns(kind, onPassword)
  const { search = '', sort = 'id', order = 'ascending' } = query.value
  const chosen: Sort = { key: sort, isDescending: order === 'descending' }
  if (clients.length === 0) return <Empty icon={SearchX} title={texts.empty} />
  return (
    <>
      <Table
        name={`access-${kind}`}
        label={t[kind]}
        columns={columns}
        rows={sorted(clients, chosen).slice(0, MAX_ROWS)}
        keyOf={({ deviseId }) => deviseId}
        listKey={`${kind}/${search}/${sort}/${order}`}
        linkOf={linkOf}
        sort={chosen}
        onSort={({ key, isDescending }) =>
          navigate(
            linkTo(path.peek(), { search, sort: key, order: isDescending ? 'descending' : 'ascending' }),
            { replace: true },
          )
        }
        menuOf={
          mayChange.value
            ? (client) => [{ label: texts.newPassword, icon: KeyRound, run: () => onPassword(client) }]
            : undefined
        }
      />
      {clients.length > MAX_ROWS && (
        <p class="muted">{texts.shown({ shown: MAX_ROWS, all: clients.length })}</p>
      )}
    </>
  )
}

function useColumns(kind: 'people' | 'devices', onPassword: (client: Client) => void): Column<Client>[] {
  const t = useTexts('access')
  const texts = useTexts('clients')
  const id: Column<Client> = {
    key: 'id',
    title: kind === 'people' ? t.userName : texts.id,
    sort: 'ascending',
    narrow: 'title',
    id: ({ deviseId }) => deviseId,
  }
  const lastLogin: Column<Client> = {
    key: 'lastLogin',
    title: t.lastLogin,
    sort: 'descending',
    narrow: 'detail',
    render: ({ lastLoginDate = null }) => <Ago at={lastLoginDate} />,
  }
  const description: Column<Client> = {
    key: 'description',
    title: texts.description,
    share: 1,
    narrow: 'detail',
    render: (client) => client.description,
  }
  if (kind === 'people') {
    const role: Column<Client> = {
      key: 'role',
      title: texts.role,
      narrow: 'badge',
      render: (client) => (
        <>
          <RoleBadge role={client.role} />
          {client.deviseId === session.value?.deviceId && <small class="muted"> {texts.you}</small>}
        </>
      ),
    }
    return [id, role, lastLogin, description]
  }
  const own: Column<Client> = {
    key: 'own',
    title: t.ownQueue,
    render: ({ ownQueueOnly = null }) => t[`own_${ownQueueOnly ?? 'null'}`],
  }
  const gateway: Column<Client> = {
    key: 'gateway',
    title: t.gateway,
    render: ({ devices = [] }) => devices.length > 0 && <span class="id">{devices.join(' ')}</span>,
    share: 1,
  }
  const password: Column<Client> = {
    key: 'password',
    title: t.password,
    render: (client) => (
      <button
        type="button"
        class="small quiet"
        onClick={(event) => {
          event.stopPropagation()
          onPassword(client)
        }}
      >
        <KeyRound size={14} aria-hidden="true" /> {t.change}
      </button>
    ),
  }
  return [id, description, lastLogin, ...(mayChange.value ? [password] : []), own, gateway]
}

function sorted(clients: readonly Client[], { key, isDescending }: Sort): readonly Client[] {
  if (key !== 'lastLogin') return isDescending ? clients.toReversed() : clients
  const atMs = ({ lastLoginDate }: Client): number => lastLoginDate ?? 0
  return clients.toSorted((a, b) => (isDescending ? atMs(b) - atMs(a) : atMs(a) - atMs(b)))
}
