/** Sets a new password of a client and shows it once. */
import { useState } from 'preact/hooks'
import { Credentials } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { type Client, updateClient } from '../state/clients.ts'
import { generatePassword } from '../state/devices.ts'
import { session, signIn } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

export function NewPassword({ client, onClose }: { client: Client; onClose: () => void }) {
  const t = useTexts('device')
  const list = useTexts('devices')
  const people = useTexts('clients')
  const [password, setPassword] = useState(generatePassword)
  const [isSet, setSet] = useState(false)

  async function change(): Promise<void> {
    await updateClient(client.id, { password })
    // A new password ends the sessions of its client. Signing in again keeps the user's own session and this screen.
    if (client.deviseId === session.peek()?.deviceId) await signIn(client.deviseId, password)
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
    <DialogForm
      title={t.newPassword}
      action={t.set}
      run={change}
      onDone={() => setSet(true)}
      onClose={onClose}
    >
      <p class="muted">{client.role === 'DEVISE' ? t.newPasswordHint : people.newPasswordHint}</p>
      <PasswordField value={password} onChange={setPassword} />
    </DialogForm>
  )
}
