/** Edits or generates a new password. The password is visible, because it has to be copied to a device. */
import { Dices } from 'lucide-preact'
import { useId } from 'preact/hooks'
import { generatePassword } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'

interface PasswordFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function PasswordField({ value, onChange }: PasswordFieldProps) {
  const t = useTexts('devices')
  const common = useTexts('common')
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{t.password}</label>
      <div class="joined">
        <input
          id={id}
          class="id"
          value={value}
          required
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        <button type="button" class="quiet" onClick={() => onChange(generatePassword())}>
          <Dices size={15} aria-hidden="true" /> {t.generate}
        </button>
      </div>
      <small id={`${id}-hint`}>{common.passwordHint}</small>
    </div>
  )
}
