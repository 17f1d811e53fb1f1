/** Menu of rare device actions, and their dialogs. */
import {
  Cable,
  FileStack,
  KeyRound,
  Pencil,
  ScrollText,
  SlidersHorizontal,
  Trash2,
  UserPlus,
  Users,
  Wrench,
} from 'lucide-preact'
import { Confirm } from '../parts/confirm.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { type Client, deleteClient, updateClient } from '../state/clients.ts'
import type { DeviceWithClient } from '../state/devices.ts'
import { links, linkTo } from '../state/location.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { ServiceForm } from './device-service.tsx'
import { SettingsForm } from './device-settings.tsx'
import { NewDevice } from './new-device.tsx'
import { NewPassword } from './new-password.tsx'

export type DeviceDialog = 'login' | 'password' | 'description' | 'settings' | 'service' | 'notes' | 'delete'

interface DeviceMenuProps {
  readonly id: string
  readonly client: Client | null
  readonly isOutOfService: boolean
  readonly onOpen: (dialog: DeviceDialog) => void
}

export function DeviceMenu({ id, client, isOutOfService, onOpen }: DeviceMenuProps) {
  const t = useTexts('device')
  const table = useTexts('table')
  const places: readonly MenuItem[] = [
    { label: t.openConnections, icon: Cable, link: links.connections({ search: id }) },
    { label: t.openTemplates, icon: FileStack, link: linkTo('/templates', { search: id }) },
    { label: t.openLogin, icon: Users, link: linkTo('/access/devices', { search: id }) },
  ]
  const ofClient: readonly MenuItem[] = client
    ? [
        { label: t.newPassword, icon: KeyRound, run: () => onOpen('password') },
        { label: t.changeDescription, icon: Pencil, run: () => onOpen('description') },
      ]
    : [{ label: t.makeClient, icon: UserPlus, run: () => onOpen('login') }]
  const settings = { label: t.showSettings, icon: SlidersHorizontal, run: () => onOpen('settings') }
  const service = {
    label: isOutOfService ? t.changeService : t.takeOut,
    icon: Wrench,
    run: () => onOpen('service'),
  }
  const notes = { label: t.notes, icon: ScrollText, run: () => onOpen('notes') }
  const removal: readonly MenuItem[] = client
    ? [{ label: t.deleteLogin, icon: Trash2, isDanger: true, run: () => onOpen('delete') }]
    : []
  const items = mayChange.value
    ? [...ofClient, settings, service, notes, ...places, ...removal]
    : [notes, ...places]
  return <Menu label={table.actions({ row: id })} items={items} />
}

interface DeviceDialogsProps extends DeviceWithClient {
  readonly id: string
  readonly dialog: DeviceDialog
  readonly onClose: () => void
}

export function DeviceDialogs({ id, device, client, dialog, onClose }: DeviceDialogsProps) {
  const t = useTexts('device')
  if (dialog === 'login') return <NewDevice id={id} onClose={onClose} />
  if (dialog === 'settings') {
    return device.settings ? <SettingsForm id={id} settings={device.settings} onClose={onClose} /> : null
  }
  if (dialog === 'service') return <ServiceForm id={id} service={device.service ?? null} onClose={onClose} />
  if (!client || dialog === 'notes') return null
  if (dialog === 'password') return <NewPassword client={client} onClose={onClose} />
  if (dialog === 'description') return <DescriptionForm client={client} onClose={onClose} />
  return (
    <Confirm
      title={t.deleteLogin}
      action={t.deleteLogin}
      typed={id}
      isDanger
      run={async () => {
        await deleteClient(client.id)
        showToast({ text: t.loginDeleted({ id }) })
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t.deleteLoginAsk}</p>
    </Confirm>
  )
}

function DescriptionForm({ client, onClose }: { client: Client; onClose: () => void }) {
  const t = useTexts('device')
  const common = useTexts('common')
  return (
    <DialogForm
      title={t.changeDescription}
      action={common.save}
      run={(values) => updateClient(client.id, { description: String(values.get('description')) })}
      onDone={onClose}
      onClose={onClose}
    >
      <label>
        {t.description}
        <input name="description" maxLength={4096} autocomplete="off" defaultValue={client.description} />
      </label>
    </DialogForm>
  )
}
