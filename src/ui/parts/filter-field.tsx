/** Edits one filter. The field owns its text until it is applied, so no live update can wipe it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Combobox } from './combobox.tsx'

interface FilterFieldProps {
  readonly label: string
  readonly value: string
  /** Called 300 ms after the last key, or at once with Enter. */
  readonly onApply: (value: string) => void
  /** Returns suggestions for a text; absent for none. */
  readonly load?: (text: string) => Promise<readonly string[]>
  readonly placeholder?: string
  /** True for the field that the key `/` focuses. */
  readonly isMain?: boolean
}

const APPLY_DELAY_MS = 300

export function FilterField({ label, value, onApply, load, placeholder, isMain = false }: FilterFieldProps) {
  const id = useId()
  const [text, setText] = useState(value)
  const applied = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  // Another value comes from elsewhere: a removed chip, a preset, the Back button.
  useEffect(() => {
    if (value === applied.current) return
    applied.current = value
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  function apply(typed: string): void {
    clearTimeout(timer.current)
    const wanted = typed.trim()
    if (wanted === applied.current) return
    applied.current = wanted
    onApply(wanted)
  }

  return (
    <div class={isMain ? 'filter-field wide' : 'filter-field'}>
      <label for={id}>{label}</label>
      <Combobox
        id={id}
        type="search"
        value={text}
        load={load}
        placeholder={placeholder}
        isMainSearch={isMain}
        onInput={(typed) => {
          setText(typed)
          clearTimeout(timer.current)
          timer.current = setTimeout(apply, APPLY_DELAY_MS, typed)
        }}
        onChoose={(chosen) => {
          setText(chosen)
          apply(chosen)
        }}
      />
    </div>
  )
}
