/** Creates a device and shows its password once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { IdField } from '../parts/id-field.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { createClient } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

interface NewDeviceProps {
  /** Id of a device that has a queue but no login; absent to choose an id. */
  readonly id?: string
  readonly onClose: () => void
  /** Called instead of showing the password, which the caller then shows. */
  readonly onCreated?: (created: { id: string; password: string }) => void
}

export function NewDevice({ id, onClose, onCreated }: NewDeviceProps) {
  const t = useTexts('devices')
  const [password, setPassword] = useState(generatePassword)
  const [createdId, setCreatedId] = useState<string | null>(null)

  async function create(values: FormData): Promise<void> {
    const [deviseId, description] = [String(values.get('id')), String(values.get('description'))]
    await createClient({ deviseId, description, password })
    if (onCreated) onCreated({ id: deviseId, password })
    else setCreatedId(deviseId)
  }

  if (createdId !== null) {
    return (
      <Dialog title={t.made} onClose={onClose}>
        <p>{t.madeHint}</p>
        <Credentials id={createdId} password={password} />
        <div class="actions">
          <a class="button" href={links.device(createdId)}>
            {t.toDevice}
          </a>
        </div>
      </Dialog>
    )
  }
  return (
    <DialogForm title={t.create} action={t.make} run={create} onDone={() => {}} onClose={onClose}>
      <IdField label={t.idLabel} name="id" defaultValue={id} readOnly={id !== undefined} />
      <small>{t.idHint}</small>
      <label>
        {t.description}
        <input name="description" maxLength={4096} autocomplete="off" />
      </label>
      <PasswordField value={password} onChange={setPassword} />
    </DialogForm>
  )
}
