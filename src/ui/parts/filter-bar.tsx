/**
 * Shows the filters of a list: its fields, which a phone folds into one button, and the active filters as chips. The
 * button also focuses the first field.
 */
import { ListFilter, X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

export interface ActiveFilter {
  /** Name and value of the filter as text, such as `Device: pump`. */
  readonly text: string
  readonly remove: () => void
}

interface FilterBarProps {
  readonly label: string
  readonly active: readonly ActiveFilter[]
  readonly onClear: () => void
  readonly children: ComponentChildren
}

export function FilterBar({ label, active, onClear, children }: FilterBarProps) {
  const t = useTexts('filters')
  const id = useId()
  const fields = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) fields.current?.querySelector('input')?.focus()
  }, [isOpen])
  return (
    <search class="filter-bar" aria-label={label}>
      <button
        type="button"
        class="quiet fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <ListFilter size={16} aria-hidden="true" /> {t.title} {active.length > 0 && <b>{active.length}</b>}
      </button>
      <div ref={fields} id={id} class={isOpen ? 'fields open' : 'fields'}>
        {children}
      </div>
      {active.length > 0 && (
        <div class="chips">
          {active.map(({ text, remove }) => (
            <button key={text} type="button" class="chip" aria-label={t.remove({ text })} onClick={remove}>
              <span>{text}</span> <X size={13} aria-hidden="true" />
            </button>
          ))}
          <button type="button" class="chip clear" onClick={onClear}>
            {t.clear}
          </button>
        </div>
      )}
    </search>
  )
}
