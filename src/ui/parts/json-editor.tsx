/** A field for a JSON object: numbered lines, and the line that is wrong marked, with a word about it. */
import { useId, useRef } from 'preact/hooks'
import { problemIn, setOut } from '../state/json.ts'
import { useTexts } from '../texts/texts.ts'

interface JsonEditorProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

const LEAST_LINES = 4
const MOST_LINES = 14

export function JsonEditor({ value, onChange }: JsonEditorProps) {
  const t = useTexts('send')
  const faults = useTexts('jsonFaults')
  const id = useId()
  const gutter = useRef<HTMLOListElement>(null)
  const problem = problemIn(value)
  const lines = value.split('\n')
  return (
    <div class="field json-field">
      <div class="head">
        <label for={id}>{t.data}</label>
        <button
          type="button"
          class="small quiet"
          disabled={problem !== null}
          onClick={() => onChange(setOut(value))}
        >
          {t.tidy}
        </button>
      </div>
      <div class="json-editor">
        <ol ref={gutter} aria-hidden="true">
          {lines.map((_, i) => (
            // A line is nothing but its number.
            <li key={i} class={problem?.line === i + 1 ? 'wrong' : ''}>
              {i + 1}
            </li>
          ))}
        </ol>
        <textarea
          id={id}
          value={value}
          rows={Math.min(Math.max(lines.length, LEAST_LINES), MOST_LINES)}
          wrap="off"
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          aria-invalid={problem !== null || undefined}
          aria-describedby={`${id}-problem`}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onScroll={({ currentTarget }) => {
            if (gutter.current) gutter.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      <p id={`${id}-problem`} class="problem" aria-live="polite">
        {problem && `${faults.at(problem)} ${faults[problem.fault]}`}
      </p>
    </div>
  )
}
