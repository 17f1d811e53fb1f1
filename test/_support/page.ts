/** Opens the admin page in a browser and signs in. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { ADMIN_PASSWORD, type BrokerUnderTest } from './broker.ts'
import { type Visit, visit } from './browser.ts'

/** Opens a place of the page, such as `/devices?search=x`, and signs in. */
export async function openPage(broker: BrokerUnderTest, place = '/'): Promise<Visit> {
  const opened = await visit(`${broker.server.url}/#${place}`)
  await signIn(opened.page)
  return opened
}

export async function signIn(page: Page, client = 'admin', password = ADMIN_PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(client)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').first().waitFor({ state: 'attached' })
}

/** Expects that no other host was requested, no script threw and the security policy refused nothing. */
export function expectQuiet({ requests, complaints }: Visit, { server }: BrokerUnderTest): void {
  expect(
    requests.filter((each) => !/^(data|blob):/.test(each) && !each.startsWith(`${server.url}/`)),
  ).toEqual([])
  expect(complaints).toEqual([])
}

/** Clicks a confirming button until its effect is there: the button ignores clicks within 300 ms of its appearance. */
export async function confirmed(button: Locator, isDone: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(async () => {
      await button.click({ timeout: 1_000 }).catch(() => {})
      return isDone()
    })
    .toBe(true)
}

/** Waits until a confirming button accepts a click, and clicks once. */
export async function confirmOnce(button: Locator): Promise<void> {
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
}

/** Returns the card of a figure, by its whole name, because other cards may have the word in their explanation. */
export function figureCard(page: Page, name: string): Locator {
  return page.locator('.figure').filter({ has: page.getByText(name, { exact: true }) })
}
