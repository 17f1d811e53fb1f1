/** Creates a client and shows its password once, or updates the id, the role and the description of a client. */
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { type Client, createClient, type Role, updateClient } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { session } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

interface ClientFormProps {
  /** Client to update; absent to create one. */
  readonly client?: Client
  readonly onClose: () => void
}

/** Returns a function that gives the page's text for a refused change of a client; undefined for other errors. */
export function useRefusalText(): (error: unknown) => string | undefined {
  const t = useTexts('clients')
  return (error) => {
    const status = error instanceof RequestError ? error.status : null
    return status === 409 ? t.lastAdmin : status === 404 ? t.gone : undefined
  }
}

export function ClientForm({ client, onClose }: ClientFormProps) {
  const t = useTexts('clients')
  const devices = useTexts('devices')
  const common = useTexts('common')
  const textOf = useProblemText()
  const refusalText = useRefusalText()
  const [id, setId] = useState(client?.deviseId ?? '')
  const [role, setRole] = useState<Role>(client?.role ?? 'DEVISE')
  const [password, setPassword] = useState(generatePassword)
  const [problem, setProblem] = useState<string | null>(null)
  const [createdId, setCreatedId] = useState<string | null>(null)
  const isRenamed = client !== undefined && id !== client.deviseId
  const isDemoted = client?.role === 'MAN' && role !== 'MAN'
  const isYou = client !== undefined && client.deviseId === session.value?.deviceId

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const description = String(form.get('description'))
    try {
      if (client) {
        await updateClient(client.id, { deviseId: id, role, description })
        return onClose()
      }
      await createClient({ deviseId: id, password, role, description })
      setCreatedId(id)
    } catch (error) {
      const isConflict = error instanceof RequestError && error.status === 409
      const mayBeTaken = isConflict && (!client || isRenamed)
      // The id is taken, or the client is the last admin: the text of the server says which.
      if (mayBeTaken) setProblem(isDemoted ? textOf(error) : t.exists)
      else setProblem(refusalText(error) ?? textOf(error))
    }
  }

  if (createdId !== null) {
    return (
      <Dialog title={t.made} onClose={onClose}>
        <p>{role === 'DEVISE' ? devices.madeHint : t.madeHint}</p>
        <Credentials id={createdId} password={password} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            {common.close}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={client ? t.editTitle({ id: client.deviseId }) : t.create} onClose={onClose}>
      <form onSubmit={save}>
        <IdField value={id} onChange={setId} />
        {isRenamed && <p class="notice wait">{t.renamed({ id: client.deviseId })}</p>}
        {isYou && isRenamed && <p class="notice wait">{t.yourId}</p>}
        <Roles value={role} onChange={setRole} />
        {isYou && role !== 'MAN' && <p class="notice wait">{t.yourRole}</p>}
        <label>
          {t.description}
          <input name="description" maxLength={4096} autocomplete="off" defaultValue={client?.description} />
        </label>
        {!client && <PasswordField value={password} onChange={setPassword} />}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
          <button type="submit">{client ? common.save : t.make}</button>
        </div>
      </form>
    </Dialog>
  )
}

function IdField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const t = useTexts('clients')
  return (
    <>
      <label>
        {t.id}
        <input
          class="id"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          required
          maxLength={255}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
      <small>{t.idHint}</small>
    </>
  )
}

function Roles({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const t = useTexts('clients')
  const roles = useTexts('roles')
  return (
    <fieldset class="guarantees">
      <legend>{t.role}</legend>
      {(['DEVISE', 'READER', 'MAN'] as const).map((each) => (
        <label key={each} class="guarantee" title={each}>
          <input
            type="radio"
            name="role"
            checked={each === value}
            aria-labelledby={`role-${each}`}
            aria-describedby={`role-${each}-hint`}
            onChange={() => onChange(each)}
          />
          <span>
            <strong id={`role-${each}`}>{roles[each]}</strong>
            <small id={`role-${each}-hint`}>{roles[`${each}_hint`]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
