/** Keeps the short notices that appear over the page after an action. */
import { signal } from '@preact/signals'

export interface ToastContent {
  readonly text: string
  /** Default: good. A bad notice is announced at once. */
  readonly tone?: 'good' | 'bad' | 'info'
  readonly link?: { readonly href: string; readonly label: string }
  /** An action such as Undo. Pressing it closes the notice. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

export interface Toast extends ToastContent {
  readonly key: number
}

/** Maximum simultaneous notices. A further notice removes the oldest. */
const MAX_TOASTS = 3
const SHOWN_MS = 8_000

export const toasts = signal<readonly Toast[]>([])
const timers = new Map<number, ReturnType<typeof setTimeout>>()
let isHeld = false
let lastKey = 0

/** Shows a notice for eight seconds. */
export function showToast(content: ToastContent): void {
  const toast = { ...content, key: ++lastKey }
  const all = [...toasts.peek(), toast]
  for (const { key } of all.slice(0, -MAX_TOASTS)) clearTimer(key)
  toasts.value = all.slice(-MAX_TOASTS)
  if (!isHeld) startTimer(toast.key)
}

export function closeToast(key: number): void {
  clearTimer(key)
  toasts.value = toasts.peek().filter((each) => each.key !== key)
  // The pointer does not leave a notice that is removed under it.
  if (toasts.peek().length === 0) isHeld = false
}

/** Holds all notices while the pointer or the focus is on them. Afterwards each is shown for the whole time again. */
export function holdToasts(wanted: boolean): void {
  if (wanted === isHeld) return
  isHeld = wanted
  for (const { key } of toasts.peek()) {
    if (wanted) clearTimer(key)
    else startTimer(key)
  }
}

function startTimer(key: number): void {
  timers.set(
    key,
    setTimeout(() => closeToast(key), SHOWN_MS),
  )
}

function clearTimer(key: number): void {
  clearTimeout(timers.get(key))
  timers.delete(key)
}
