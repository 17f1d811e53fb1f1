/** Runs actions by keys without a modifier, such as `c` or `g` and `o`. They can be switched off (WCAG 2.1.4). */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Runs the action of a key. Returns false if the key currently does nothing, so that another action may handle it. */
export type KeyAction = () => unknown
/** Actions by key: a letter, `/`, `?`, `[`, `]`, `Enter`, `Escape`, or two keys in sequence such as `g o`. */
export type KeyActions = Readonly<Record<string, KeyAction>>

const KEY = 'waybill.keys'
/** Milliseconds in which the second key of a sequence must follow. */
const SEQUENCE_MS = 1_500

export const areKeysOn = signal(localStorage.getItem(KEY) !== 'off')

export function switchKeys(isOn: boolean): void {
  areKeysOn.value = isOn
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** Currently available actions. Those of the latest component come first. */
const layers: { current: KeyActions }[] = []
let first = ''
let firstMs = 0

/** Runs actions by key while the component is shown. */
export function useKeys(actions: KeyActions): void {
  const layer = useRef(actions)
  layer.current = actions
  useEffect(() => {
    layers.unshift(layer)
    return () => void layers.splice(layers.indexOf(layer), 1)
  }, [])
}

/** Listens to the keyboard. @returns a function that stops listening */
export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

function onKey(event: KeyboardEvent): void {
  const name = keyName(event)
  if (name === null || event.defaultPrevented || isElsewhere(event.target)) return
  // Escape and Enter are no characters, so they work while the shortcuts are off.
  if (!areKeysOn.peek() && name !== 'Escape' && name !== 'Enter') return
  const sequence = first !== '' && event.timeStamp - firstMs < SEQUENCE_MS ? `${first} ${name}` : name
  first = ''
  const wanted = layers.flatMap(({ current }) => (Object.hasOwn(current, sequence) ? current[sequence] : []))
  if (wanted.some((action) => action?.() !== false)) {
    event.preventDefault()
    return
  }
  const isFirst = layers.some(({ current }) =>
    Object.keys(current).some((each) => each.startsWith(`${name} `)),
  )
  if (!isFirst) return
  first = name
  firstMs = event.timeStamp
}

/**
 * Returns the name of a key; null for a key of no shortcut. For a layout without Latin letters, such as Russian, the
 * position of the key counts.
 */
function keyName({ key, code, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): string | null {
  if (ctrlKey || altKey || metaKey) return null
  if (/^[a-z]$/.test(key) || ['/', '?', '[', ']', 'Escape', 'Enter'].includes(key)) return key
  if (/^[A-Z]$/.test(key)) return shiftKey ? null : key.toLowerCase()
  if (code === 'Slash') return shiftKey ? '?' : '/'
  if (shiftKey) return null
  if (code === 'BracketLeft') return '['
  if (code === 'BracketRight') return ']'
  return /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : null
}

const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'

/** Returns whether a key belongs to a field, or to something that lies over the page. */
function isElsewhere(target: EventTarget | null): boolean {
  const isField = target instanceof Element && target.closest(FIELDS) !== null
  return isField || document.querySelector('dialog[open], :popover-open') !== null
}
