/** Lists the logins: of people, and of devices and programs. A row opens the panel of its login. */
import { Plus, Upload, UserPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { FilterField } from '../parts/filter-field.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Client, loadClients } from '../state/clients.ts'
import { linkTo, navigate, path, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { AccessPanel } from './access-panel.tsx'
import { AccessTable } from './access-table.tsx'
import { ImportClients } from './lazy-import.tsx'
import { NewDevice } from './new-device.tsx'
import { NewPassword } from './new-password.tsx'
import { NewPerson } from './new-person.tsx'

type DialogState = { readonly action: 'person' | 'device' | 'import' } | { readonly password: Client }

const isPerson = ({ role }: Client): boolean => role !== 'DEVISE'

export function Access() {
  const frame = useTexts('shell')
  const t = useTexts('access')
  const clients = useResource('clients', loadClients)
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const close = (): void => {
    setDialog(null)
    clients.reload()
  }
  const all = clients.value
  const onPeople = !path.value.startsWith('/access/devices')
  const { search = '', open } = query.value
  const place = (to: string, values: Readonly<Record<string, string>> = {}) =>
    linkTo(to, { search, ...values })
  const here = onPeople ? '/access/people' : '/access/devices'
  const count = (wanted: boolean) => all?.filter((each) => isPerson(each) === wanted).length
  const opened = open === undefined ? undefined : all?.find(({ deviseId }) => deviseId === open)
  return (
    <>
      <Heading
        title={frame.access}
        actions={
          <AdminOnly>
            <button type="button" class="quiet" onClick={() => setDialog({ action: 'import' })}>
              <Upload size={16} aria-hidden="true" /> {t.import}
            </button>
            {onPeople ? (
              <button type="button" onClick={() => setDialog({ action: 'person' })}>
                <UserPlus size={16} aria-hidden="true" /> {t.newPerson}
              </button>
            ) : (
              <button type="button" onClick={() => setDialog({ action: 'device' })}>
                <Plus size={16} aria-hidden="true" /> {t.newDevice}
              </button>
            )}
          </AdminOnly>
        }
      />
      <Tabs
        label={frame.access}
        tabs={[
          { link: place('/access/people'), text: t.people, count: count(true), isCurrent: onPeople },
          { link: place('/access/devices'), text: t.devices, count: count(false), isCurrent: !onPeople },
        ]}
      />
      <search class="filter-bar">
        <div class="fields open">
          <FilterField
            label={t.search}
            value={search}
            isMain
            onApply={(text) => navigate(linkTo(here, { search: text }), { replace: true })}
          />
        </div>
      </search>
      <Loaded from={clients}>
        {(value) => (
          <AccessTable
            clients={value.filter((each) => isPerson(each) === onPeople && matches(each, search))}
            kind={onPeople ? 'people' : 'devices'}
            linkOf={({ deviseId }) => place(here, { open: deviseId })}
            onPassword={(client) => setDialog({ password: client })}
          />
        )}
      </Loaded>
      {opened && all && (
        <AccessPanel
          key={opened.id}
          client={opened}
          isLastAdmin={opened.role === 'MAN' && all.filter(({ role }) => role === 'MAN').length === 1}
          onChanged={clients.reload}
          onClose={(renamed) =>
            navigate(place(here, renamed === undefined ? {} : { open: renamed }), { replace: true })
          }
        />
      )}
      {dialog && 'password' in dialog && <NewPassword client={dialog.password} onClose={close} />}
      {dialog && 'action' in dialog && <NewLogin action={dialog.action} onClose={close} />}
    </>
  )
}

function NewLogin({ action, onClose }: { action: 'person' | 'device' | 'import'; onClose: () => void }) {
  switch (action) {
    case 'person':
      return <NewPerson onClose={onClose} />
    case 'device':
      return <NewDevice onClose={onClose} />
    case 'import':
      return <ImportClients onClose={onClose} />
    default:
      return action satisfies never
  }
}

function matches({ deviseId, description }: Client, search: string): boolean {
  const wanted = search.toLowerCase()
  return [deviseId, description].some((each) => each.toLowerCase().includes(wanted))
}
