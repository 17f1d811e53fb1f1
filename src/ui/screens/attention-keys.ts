/**
 * Moves through the alerts by keys: `j` and `k` to another alert, `e` acknowledges it, `r` asks to send its commands
 * again.
 */
import type { RefObject } from 'preact'
import { useKeys } from '../state/shortcuts.ts'

/** Runs the keys while the list is shown. Enter follows the focused link. */
export function useAttentionKeys(list: RefObject<HTMLElement>): void {
  const rows = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('li') ?? [])]
  const present = (): HTMLElement | undefined => rows().find((row) => row.contains(document.activeElement))
  const step = (by: number): boolean => {
    const all = rows()
    const row = present()
    const next = all[Math.min(Math.max(row ? all.indexOf(row) + by : 0, 0), all.length - 1)]
    next?.querySelector<HTMLElement>('[data-act="open"]')?.focus()
    return next !== undefined
  }
  const press = (name: string): boolean => {
    const button = present()?.querySelector<HTMLElement>(
      `button[data-act="${name}"], [data-act="${name}"] button`,
    )
    button?.click()
    return button != null
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    e: () => press('acknowledge'),
    r: () => press('again'),
  })
}
