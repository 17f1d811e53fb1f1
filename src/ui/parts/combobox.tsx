/** Edits a text with suggestions. The arrow keys select one, Escape closes them, and any other text may be typed. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface ComboboxProps {
  readonly id: string
  readonly value: string
  readonly onInput: (text: string) => void
  /** Called with a selected suggestion, and with the text on Enter. */
  readonly onChoose: (text: string) => void
  /** Returns suggestions for a text; absent for none. */
  readonly load?: ((text: string) => Promise<readonly string[]>) | undefined
  readonly type?: 'search' | 'text'
  readonly class?: string
  readonly placeholder?: string | undefined
  readonly isRequired?: boolean
  /** True if a dialog does not focus the field initially, although it is empty. */
  readonly isOptional?: boolean
  readonly describedBy?: string
  /** Value of `data-search`: the key `/` focuses this field. */
  readonly isMainSearch?: boolean
}

const MAX_SUGGESTIONS = 8
/** Milliseconds after the last key before suggestions are read. */
const DELAY_MS = 120
const MAX_LENGTH = 255

export function Combobox({ id, value, onInput, onChoose, load, type = 'text', ...props }: ComboboxProps) {
  const listId = useId()
  const [suggestions, setSuggestions] = useState<readonly string[]>([])
  const [active, setActive] = useState(-1)
  const [isWanted, setWanted] = useState(false)
  const request = useRef(0)
  useEffect(() => {
    if (!isWanted || !load) return
    const number = ++request.current
    const show = (found: readonly string[]): void => {
      if (number !== request.current) return
      setSuggestions(found.filter((each) => each !== value).slice(0, MAX_SUGGESTIONS))
      setActive(-1)
    }
    // Suggestions are optional: without them the text can be typed.
    const timer = setTimeout(() => load(value).then(show, () => show([])), DELAY_MS)
    return () => clearTimeout(timer)
  }, [value, isWanted])
  const isOpen = isWanted && suggestions.length > 0
  const close = (): void => {
    request.current++
    setWanted(false)
    setSuggestions([])
  }
  const choose = (text: string): void => {
    close()
    onChoose(text)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event
    const count = suggestions.length
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      setWanted(true)
      if (isOpen) setActive((active + (key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1) + count) % count)
    } else if (key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      const chosen = isOpen ? suggestions[active] : undefined
      if (chosen !== undefined) event.preventDefault()
      choose(chosen ?? value)
    } else if (key === 'Escape' && isOpen) {
      // Otherwise Escape would close the dialog around the field too.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }

  return (
    <span class="combobox">
      <input
        id={id}
        type={type}
        class={props.class}
        role="combobox"
        value={value}
        maxLength={MAX_LENGTH}
        required={props.isRequired}
        data-optional={props.isOptional || undefined}
        placeholder={props.placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        data-search={props.isMainSearch}
        aria-describedby={props.describedBy}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && active >= 0 ? `${listId}-${active}` : undefined}
        onInput={({ currentTarget }) => {
          setWanted(true)
          onInput(currentTarget.value)
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div id={listId} role="listbox" tabIndex={-1} hidden={!isOpen} class="suggestions" aria-label={value}>
        {suggestions.map((each, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={each}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            class="id"
            aria-selected={i === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(each)}
          >
            {each}
          </div>
        ))}
      </div>
    </span>
  )
}
