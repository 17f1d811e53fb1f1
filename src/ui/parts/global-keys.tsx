/** Runs the keys that work on every screen, and shows the palette and the list of keys. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { links, navigate } from '../state/location.ts'
import { useKeys } from '../state/shortcuts.ts'
import { KeyHelp } from './key-help.tsx'
import { Palette } from './palette.tsx'

export const isPaletteOpen = signal(false)
export const isHelpOpen = signal(false)

export function GlobalKeys() {
  const to = (link: () => string) => () => navigate(link())
  useKeys({
    '?': () => {
      isHelpOpen.value = true
    },
    '/': focusSearch,
    'g o': to(links.overview),
    'g d': to(links.devices),
    'g m': to(links.messages),
    'g t': to(links.templates),
    'g n': to(links.connections),
    'g i': to(links.incidents),
    'g h': to(links.handover),
    'g a': to(links.access),
    'g s': to(links.system),
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isK = event.key.toLowerCase() === 'k' || event.code === 'KeyK'
      if (!isK || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) isPaletteOpen.value = true
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      {isPaletteOpen.value && (
        <Palette
          onClose={() => {
            isPaletteOpen.value = false
          }}
        />
      )}
      {isHelpOpen.value && (
        <KeyHelp
          onClose={() => {
            isHelpOpen.value = false
          }}
        />
      )}
    </>
  )
}

/** Focuses the search field of the screen; with folded filters on a phone, unfolds them first. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-search], main input[type="search"]')
  // The button that unfolds the filters focuses the field.
  if (field?.offsetParent === null) document.querySelector<HTMLElement>('main .fold')?.click()
  field?.focus()
  field?.select()
  return field !== null
}
