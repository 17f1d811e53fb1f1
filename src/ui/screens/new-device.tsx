/** Creates a device and shows its password once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { generatePassword } from '../state/devices.ts'
import { links } from '../state/location.ts'
import { call } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

interface NewDeviceProps {
  /** Id of a device that has a queue but cannot log in yet; absent to choose an id. */
  readonly id?: string
  readonly onClose: () => void
  /** Called instead of showing the password, which the caller then shows. */
  readonly onCreated?: (created: { id: string; password: string }) => void
}

export function NewDevice({ id, onClose, onCreated }: NewDeviceProps) {
  const t = useTexts('devices')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [password, setPassword] = useState(generatePassword)
  const [problem, setProblem] = useState<string | null>(null)
  const [createdId, setCreatedId] = useState<string | null>(null)

  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [deviseId, description] = [String(form.get('id')), String(form.get('description'))]
    try {
      await call((api) => api.POST('/admin/api/clients', { body: { deviseId, description, password } }))
      if (onCreated) onCreated({ id: deviseId, password })
      else setCreatedId(deviseId)
    } catch (error) {
      setProblem(textOf(error))
    }
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
    <Dialog title={t.create} onClose={onClose}>
      <form onSubmit={create}>
        <label>
          {t.idLabel}
          <input
            name="id"
            defaultValue={id}
            readOnly={id !== undefined}
            class="id"
            required
            maxLength={255}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </label>
        <small>{t.idHint}</small>
        <label>
          {t.description}
          <input name="description" maxLength={4096} autocomplete="off" />
        </label>
        <PasswordField value={password} onChange={setPassword} />
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
          <button type="submit">{t.make}</button>
        </div>
      </form>
    </Dialog>
  )
}
