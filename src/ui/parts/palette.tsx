/** Command palette: opens a screen, a device, a message or a template by a part of its name. */
import { FileStack, type LucideIcon, Mail, PanelLeft, Radio, Send } from 'lucide-preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { links, navigate } from '../state/location.ts'
import { type Found, matching, messageOf, readFound } from '../state/palette.ts'
import { mayChange } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { SCREEN_NAMES } from './navigation-items.ts'

const ICONS: Readonly<Record<Found['kind'], LucideIcon>> = {
  screen: PanelLeft,
  action: Send,
  device: Radio,
  message: Mail,
  template: FileStack,
}
/** Milliseconds after the last key before the server is queried. */
const DELAY_MS = 120

export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts('palette')
  const shell = useTexts('shell')
  const listId = useId()
  const [text, setText] = useState('')
  const [read, setRead] = useState<readonly Found[]>([])
  const [active, setActive] = useState(0)
  const request = useRef(0)
  useEffect(() => {
    const number = ++request.current
    const show = (found: readonly Found[]): void => {
      if (number === request.current) setRead(found)
    }
    const timer = setTimeout(() => readFound(text).then(show, () => show([])), DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])

  const screens = SCREEN_NAMES.map(
    (name): Found => ({ kind: 'screen', label: shell[name], link: links[name]() }),
  )
  const actions: Found[] = mayChange.value ? [{ kind: 'action', label: shell.send, link: links.send() }] : []
  const all = [...messageOf(text, t.message), ...matching([...actions, ...screens], text), ...read]

  function open(found: Found | undefined): void {
    if (!found) return
    onClose()
    navigate(found.link)
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && all.length > 0) {
      event.preventDefault()
      setActive((active + step + all.length) % all.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      open(all[active])
    }
  }

  return (
    <Dialog title={t.title} onClose={onClose}>
      <input
        type="text"
        class="palette-field"
        role="combobox"
        aria-label={t.title}
        aria-expanded={all.length > 0}
        aria-controls={listId}
        aria-activedescendant={all.length > 0 ? `${listId}-${active}` : undefined}
        placeholder={t.hint}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" tabIndex={-1} class="palette" aria-label={t.title}>
        {all.map((found, i) => (
          <PaletteItem
            key={found.kind + found.link}
            id={`${listId}-${i}`}
            found={found}
            isActive={i === active}
            onOpen={() => open(found)}
          />
        ))}
      </div>
      {all.length === 0 && <p class="muted">{t.nothing}</p>}
    </Dialog>
  )
}

interface PaletteItemProps {
  readonly id: string
  readonly found: Found
  readonly isActive: boolean
  readonly onOpen: () => void
}

function PaletteItem({ id, found: { kind, label, detail }, isActive, onOpen }: PaletteItemProps) {
  const t = useTexts('palette')
  const Icon = ICONS[kind]
  const item = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div ref={item} id={id} role="option" tabIndex={-1} aria-selected={isActive} onClick={onOpen}>
      <Icon size={16} aria-hidden="true" />
      <span class="clip">{label}</span>
      {detail !== undefined && <small class="muted clip">{detail}</small>}
      <small class="muted kind">{t[kind]}</small>
    </div>
  )
}
