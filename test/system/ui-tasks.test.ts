/** The tasks of an operator's day in the admin page: each within its number of clicks, typing not counted. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { openPage } from '../_support/page.ts'

test.runIf(CHROMIUM)('task: make a backup → 2 clicks', async () => {
  const broker = await BrokerUnderTest.start()
  const { page } = await openPage(broker)
  const acts = await countActs(page)
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByRole('button', { name: /backup/i }).click()
  await page
    .getByText(/waybill-.*\.db/)
    .first()
    .waitFor()
  expect((await acts()).clicks).toBeLessThanOrEqual(2)
})
