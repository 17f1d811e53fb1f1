/** Sets a new password of a client and shows it once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import type { Client } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { call, session, signIn } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

export function NewPassword({ client, onClose }: { client: Client; onClose: () => void }) {
  const t = useTexts('device')
  const list = useTexts('devices')
  const people = useTexts('clients')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [password, setPassword] = useState(generatePassword)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSet, setSet] = useState(false)

  async function change(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    try {
      await call((api) =>
        api.PUT('/admin/api/clients/{id}', { params: { path: { id: client.id } }, body: { password } }),
      )
      // A new password ends the sessions of its client. Signing in again keeps the user's own session and this screen.
      if (client.deviseId === session.peek()?.deviceId) await signIn(client.deviseId, password)
      setSet(true)
    } catch (error) {
      setProblem(textOf(error))
    }
  }

  if (isSet) {
    return (
      <Dialog title={t.isSet} onClose={onClose}>
        <p>{client.role === 'DEVISE' ? list.madeHint : people.madeHint}</p>
        <Credentials id={client.deviseId} password={password} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t.newPassword} onClose={onClose}>
      <form onSubmit={change}>
        <p class="muted">{client.role === 'DEVISE' ? t.newPasswordHint : people.newPasswordHint}</p>
        <PasswordField value={password} onChange={setPassword} />
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
          <button type="submit">{t.set}</button>
        </div>
      </form>
    </Dialog>
  )
}
