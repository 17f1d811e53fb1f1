/** Edits a JSON object: numbers its lines, and marks and describes the first problem. */
import { useId, useRef } from 'preact/hooks'
import { findJsonProblem, formatJson } from '../state/json.ts'
import { useTexts } from '../texts/texts.ts'

interface JsonEditorProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

const MIN_LINES = 4
const MAX_LINES = 14

export function JsonEditor({ value, onChange }: JsonEditorProps) {
  const t = useTexts('send')
  const faults = useTexts('jsonFaults')
  const id = useId()
  const gutter = useRef<HTMLOListElement>(null)
  const problem = findJsonProblem(value)
  const lines = value.split('\n')
  return (
    <div class="field json-field">
      <div class="head">
        <label for={id}>{t.data}</label>
        <button
          type="button"
          class="small quiet"
          disabled={problem !== null}
          onClick={() => onChange(formatJson(value))}
        >
          {t.tidy}
        </button>
      </div>
      <div class="json-editor">
        <ol ref={gutter} aria-hidden="true">
          {lines.map((_, i) => (
            <li key={i} class={problem?.line === i + 1 ? 'wrong' : ''}>
              {i + 1}
            </li>
          ))}
        </ol>
        <textarea
          id={id}
          value={value}
          rows={Math.min(Math.max(lines.length, MIN_LINES), MAX_LINES)}
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
