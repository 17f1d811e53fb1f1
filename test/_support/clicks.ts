/** Counts the actions of a user in the admin page, for tests of its tasks. */
import type { Page } from 'playwright-core'

/** Actions of a user since the count began. */
export interface Acts {
  /** Clicks and taps, including those in a field to type there. */
  readonly clicks: number
  /** Keys pressed outside of fields, such as shortcuts. */
  readonly shortcuts: number
}

/** Script of the page. Capturing listeners on the window see each event before the page may stop it. */
const COUNT = `
  globalThis.acts = { clicks: 0, shortcuts: 0 }
  const isField = (target) => target.closest?.('input, textarea, select, [contenteditable]')
  addEventListener('pointerdown', () => globalThis.acts.clicks++, true)
  addEventListener('keydown', ({ target }) => isField(target) || globalThis.acts.shortcuts++, true)
`

/**
 * Counts the actions of a user in a page from now on, until it is reloaded. The file chooser of the browser and the
 * list of a `select` are not part of the page, so a test counts `setInputFiles` and `selectOption` itself.
 *
 * @returns a function that reads the count
 */
export async function countActs(page: Page): Promise<() => Promise<Acts>> {
  await page.evaluate(`{ ${COUNT} }`)
  return () => page.evaluate<Acts>('({ ...globalThis.acts })')
}
