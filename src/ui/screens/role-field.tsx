/** Chooses the role of a login. */
import type { Role } from '../state/clients.ts'
import { useTexts } from '../texts/texts.ts'

interface RoleFieldProps {
  readonly roles: readonly Role[]
  readonly value: Role
  readonly onChange: (role: Role) => void
}

export function RoleField({ roles, value, onChange }: RoleFieldProps) {
  const t = useTexts('clients')
  const texts = useTexts('roles')
  return (
    <fieldset class="guarantees">
      <legend>{t.role}</legend>
      {roles.map((each) => (
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
            <strong id={`role-${each}`}>{texts[each]}</strong>
            <small id={`role-${each}-hint`}>{texts[`${each}_hint`]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
