/** Creates the login of a person, and shows its password once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { createClient, type Role } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'
import { RoleField } from './role-field.tsx'

export function NewPerson({ onClose }: { onClose: () => void }) {
  const t = useTexts('access')
  const texts = useTexts('clients')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [role, setRole] = useState<Role>('READER')
  const [password, setPassword] = useState(generatePassword)
  const [problem, setProblem] = useState<string | null>(null)
  const [createdId, setCreatedId] = useState<string | null>(null)

  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [deviseId, description] = [String(form.get('id')), String(form.get('description'))]
    try {
      await createClient({ deviseId, password, role, description })
      setCreatedId(deviseId)
    } catch (error) {
      setProblem(textOf(error))
    }
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
    <Dialog title={t.newPerson} onClose={onClose}>
      <form onSubmit={create}>
        <label>
          {t.userName}
          <input
            name="id"
            class="id"
            required
            maxLength={255}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </label>
        <label>
          {texts.description}
          <input name="description" maxLength={4096} autocomplete="off" />
        </label>
        <RoleField roles={['READER', 'MAN']} value={role} onChange={setRole} />
        <PasswordField value={password} onChange={setPassword} />
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
          <button type="submit">{texts.make}</button>
        </div>
      </form>
    </Dialog>
  )
}
