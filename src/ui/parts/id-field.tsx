/** Edits an id. Browsers neither complete, capitalize nor correct it. */
import type { ComponentProps } from 'preact'

interface IdFieldProps extends ComponentProps<'input'> {
  readonly label: string
}

export function IdField({ label, ...props }: IdFieldProps) {
  return (
    <label>
      {label}
      <input
        class="id"
        required
        maxLength={255}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        {...props}
      />
    </label>
  )
}
