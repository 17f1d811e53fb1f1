/** Edits the terms of a message, folded until one is set. */
import type { Terms } from '../state/draft.ts'
import { useTexts } from '../texts/texts.ts'

/** Maximum of each term, equal to the server's. */
const MAXIMUM = {
  validSeconds: 31_536_000,
  finishSeconds: 31_536_000,
  delaySeconds: 31_536_000,
  maxAttempts: 100,
}

interface TermsFieldsProps {
  readonly value: Terms
  readonly names: readonly (keyof Terms)[]
  readonly onChange: (terms: Terms) => void
}

export function TermsFields({ value, names, onChange }: TermsFieldsProps) {
  const t = useTexts('terms')
  const isOpen = names.some((each) => value[each] != null)
  return (
    <details class="terms" open={isOpen}>
      <summary>{t.title}</summary>
      <div class="grid">
        {names.map((name) => (
          <label key={name}>
            {t[name]}
            <input
              type="number"
              inputMode="numeric"
              min={1}
              max={MAXIMUM[name]}
              value={value[name] ?? ''}
              data-optional
              onInput={({ currentTarget }) =>
                onChange({
                  ...value,
                  [name]: currentTarget.value === '' ? null : currentTarget.valueAsNumber,
                })
              }
            />
          </label>
        ))}
      </div>
    </details>
  )
}
