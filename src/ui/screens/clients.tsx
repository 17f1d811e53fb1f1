/** Lists the clients that may log in, with their roles. */

import { KeyRound, KeySquare, Pencil, Plus, SearchX, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { RoleBadge } from '../parts/role-badge.tsx'
import { type Client, deleteClient, loadClients } from '../state/clients.ts'
import { links, linkTo, navigate, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { session } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { ClientForm, useRefusalText } from './client-form.tsx'
import { ClientKeys } from './client-keys.tsx'
import { NewPassword } from './new-password.tsx'

/** Maximum rows on the screen. The search finds other clients. */
const MAX_ROWS = 200

type ClientAction = 'edit' | 'password' | 'keys' | 'delete'
type DialogState = { readonly action: ClientAction; readonly client: Client } | { readonly action: 'new' }

export function Clients() {
  const frame = useTexts('shell')
  const t = useTexts('clients')
  const clients = useResource('clients', loadClients)
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const close = (): void => {
    setDialog(null)
    clients.reload()
  }
  const { search = '', role = '' } = query.value
  const matches = ({ deviseId, description, ...client }: Client): boolean =>
    (role === '' || client.role === role) &&
    [deviseId, description].some((each) => each.toLowerCase().includes(search.toLowerCase()))
  return (
    <>
      <Heading
        title={frame.access}
        actions={
          <AdminOnly>
            <button type="button" onClick={() => setDialog({ action: 'new' })}>
              <Plus size={16} aria-hidden="true" /> {t.create}
            </button>
          </AdminOnly>
        }
      />
      <p class="lead">{t.lead}</p>
      <Filters />
      <Loaded from={clients}>
        {(all) => (
          <ClientsTable
            clients={all.filter(matches)}
            onAction={(action, client) => setDialog({ action, client })}
          />
        )}
      </Loaded>
      {dialog?.action === 'new' && <ClientForm onClose={close} />}
      {dialog?.action === 'edit' && <ClientForm client={dialog.client} onClose={close} />}
      {dialog?.action === 'password' && <NewPassword client={dialog.client} onClose={close} />}
      {dialog?.action === 'keys' && <ClientKeys client={dialog.client} onClose={close} />}
      {dialog?.action === 'delete' && <DeleteDialog client={dialog.client} onClose={close} />}
    </>
  )
}

function Filters() {
  const t = useTexts('clients')
  const roles = useTexts('roles')
  const { search = '', role = '' } = query.value
  const set = (change: { search?: string; role?: string }): void =>
    navigate(linkTo('/access/devices', { search, role, ...change }), { replace: true })
  return (
    <search class="filters">
      <label>
        {t.search}
        <input
          type="search"
          value={search}
          onInput={({ currentTarget }) => set({ search: currentTarget.value.trim() })}
        />
      </label>
      <label>
        {t.role}
        <select value={role} onChange={({ currentTarget }) => set({ role: currentTarget.value })}>
          <option value="">{t.anyRole}</option>
          <option value="DEVISE">{roles.DEVISE}</option>
          <option value="MAN">{roles.MAN}</option>
          <option value="READER">{roles.READER}</option>
        </select>
      </label>
    </search>
  )
}

interface ClientsTableProps {
  readonly clients: readonly Client[]
  readonly onAction: (action: ClientAction, client: Client) => void
}

function ClientsTable({ clients, onAction }: ClientsTableProps) {
  const t = useTexts('clients')
  const common = useTexts('common')
  if (clients.length === 0) return <Empty icon={SearchX} title={t.empty} />
  return (
    <>
      <div class="card table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t.id}</th>
              <th scope="col">{t.role}</th>
              <th scope="col">{t.description}</th>
              <th scope="col">
                <span class="visually-hidden">{common.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {clients.slice(0, MAX_ROWS).map((client) => (
              <Row key={client.id} client={client} onAction={(action) => onAction(action, client)} />
            ))}
          </tbody>
        </table>
      </div>
      {clients.length > MAX_ROWS && <p class="muted">{t.shown({ shown: MAX_ROWS, all: clients.length })}</p>}
    </>
  )
}

function Row({ client, onAction }: { client: Client; onAction: (action: ClientAction) => void }) {
  const t = useTexts('clients')
  const keys = useTexts('keys')
  const { deviseId, role, description } = client
  const isYou = deviseId === session.value?.deviceId
  return (
    <tr>
      <th scope="row" data-label={t.id}>
        <span>
          <span class="id">
            {role === 'DEVISE' ? <a href={links.device(deviseId)}>{deviseId}</a> : deviseId}
          </span>{' '}
          {isYou && <small class="muted">({t.you})</small>}
        </span>
      </th>
      <td data-label={t.role}>
        <RoleBadge role={role} />
      </td>
      <td data-label={t.description}>{description}</td>
      <td class="number">
        <AdminOnly>
          <span class="actions">
            <button type="button" class="small quiet" onClick={() => onAction('edit')}>
              <Pencil size={14} aria-hidden="true" /> {t.edit}
            </button>
            <button type="button" class="small quiet" onClick={() => onAction('password')}>
              <KeyRound size={14} aria-hidden="true" /> {t.newPassword}
            </button>
            <button type="button" class="small quiet" onClick={() => onAction('keys')}>
              <KeySquare size={14} aria-hidden="true" /> {keys.open}
            </button>
            <button
              type="button"
              class="icon"
              aria-label={t.delete}
              title={isYou ? t.yourself : t.delete}
              disabled={isYou}
              onClick={() => onAction('delete')}
            >
              <Trash2 size={15} aria-hidden="true" />
            </button>
          </span>
        </AdminOnly>
      </td>
    </tr>
  )
}

function DeleteDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const t = useTexts('clients')
  const refusalText = useRefusalText()
  return (
    <Confirm
      title={t.deleteTitle({ id: client.deviseId })}
      action={t.delete}
      isDanger
      run={() => deleteClient(client.id)}
      textFor={refusalText}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.deleteAsk}</p>
    </Confirm>
  )
}
