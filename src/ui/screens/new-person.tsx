/** Creates the login of a person, and shows its password once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { IdField } from '../parts/id-field.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { createClient, type Role } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'
import { RoleField } from './role-field.tsx'

export function NewPerson({ onClose }: { onClose: () => void }) {
  const t = useTexts('access')
  const texts = useTexts('clients')
  const common = useTexts('common')
  const [role, setRole] = useState<Role>('READER')
  const [password, setPassword] = useState(generatePassword)
  const [createdId, setCreatedId] = useState<string | null>(null)

  async function create(values: FormData): Promise<void> {
    const [deviseId, description] = [String(values.get('id')), String(values.get('description'))]
    await createClient({ deviseId, password, role, description })
    setCreatedId(deviseId)
  }

  if (createdId !== null) {
    return (
      <Dialog title={t.personMade} onClose={onClose}>
        <p>{texts.madeHint}</p>
        <Credentials id={createdId} password={password} />
        <div class="actions">
          <button type="button" data-safe onClick={onClose}>
            {common.close}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <DialogForm title={t.newPerson} action={texts.make} run={create} onDone={() => {}} onClose={onClose}>
      <IdField label={t.userName} name="id" />
      <label>
        {texts.description}
        <input name="description" maxLength={4096} autocomplete="off" />
      </label>
      <RoleField roles={['READER', 'MAN']} value={role} onChange={setRole} />
      <PasswordField value={password} onChange={setPassword} />
    </DialogForm>
  )
}
