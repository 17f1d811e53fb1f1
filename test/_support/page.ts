/** The admin page in a browser, as an operator has it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { ADMIN_PASSWORD, type BrokerUnderTest } from './broker.ts'
import { type Visit, visit } from './browser.ts'

/** Opens a place of the page, such as `/devices?search=x`, and signs in there. */
export async function openPage(broker: BrokerUnderTest, place = '/'): Promise<Visit> {
  const opened = await visit(`${broker.server.url}/#${place}`)
  await signIn(opened.page)
  return opened
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Client id').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').waitFor({ state: 'attached' })
}

/** No other host was asked, no script threw, and the security policy had nothing to refuse. */
export function expectQuiet({ requests, complaints }: Visit, { server }: BrokerUnderTest): void {
  expect(
    requests.filter((each) => !/^(data|blob):/.test(each) && !each.startsWith(`${server.url}/`)),
  ).toEqual([])
  expect(complaints).toEqual([])
}
