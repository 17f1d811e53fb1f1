/** Notices, questions and dialogs of the admin page: what they say, how long they stay, and where the focus goes. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { confirmed, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
})

const focusedText = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent')

test.runIf(CHROMIUM)('dialog: Enter, then Escape → the focus returns to its button', async () => {
  const { page } = await openPage(broker, '/devices')
  const button = page.getByRole('button', { name: 'New device' }).first()
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('id')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focusedText(page)).toContain('New device')
})

test.runIf(CHROMIUM)('question: the first focus is on the safe button; the backdrop closes it', async () => {
  const id = await broker.send('safe', { command: 'on' })
  const { page } = await openPage(broker, `/messages/${id}`)
  const question = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await question.getByText(`№ ${id} on`).waitFor()
  expect(await focusedText(page)).toBe('Keep command')
  await page.getByRole('heading', { name: 'Delivery timeline' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
})

test.runIf(CHROMIUM)('question: a double click on its button → asks, and does nothing yet', async () => {
  const id = await broker.send('twice', { command: 'on' })
  const { page } = await openPage(broker, `/messages/${id}`)
  await page.clock.install()
  const button = page.getByRole('button', { name: 'Cancel command' })
  await button.click()
  const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Cancel command' })
  expect(await confirm.getAttribute('aria-disabled')).toBe('true')
  await confirm.dispatchEvent('click')
  await page.clock.runFor(301)
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
  await confirm.click()
  await page.getByText(`Cancelled № ${id}`).waitFor()
  expect(await broker.status(id)).toBe('CANCELLED')
})

test.runIf(CHROMIUM)('notice: stays eight seconds, longer under the pointer or with the focus', async () => {
  const id = await broker.send('toast', { command: 'on' })
  const { page } = await openPage(broker, `/messages/${id}`)
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await page.clock.install()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep command' }).click()
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await page.clock.runFor(301)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel command' }).click()
  const notice = page.getByText(`Cancelled № ${id}`)
  await notice.waitFor()
  await notice.hover()
  await page.clock.runFor(20_000)
  expect(await notice.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(7_900)
  expect(await notice.count()).toBe(1)
  await page.clock.runFor(200)
  await expect.poll(() => notice.count()).toBe(0)
})

test.runIf(CHROMIUM)(
  'a row with the focus goes → the focus is on the next row, never on the body',
  async () => {
    const erp = { deviseId: 'a-erp', password: 'secret' }
    await broker.rest.post('/admin/api/clients', erp)
    await broker.rest.post('/admin/api/clients', { ...erp, deviseId: 'b-erp' })
    const { page } = await openPage(broker, '/clients?search=erp')
    await page.getByRole('link', { name: 'a-erp' }).focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: 'a-erp', exact: true })
    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Delete a-erp?' })
    await question.getByRole('textbox').fill('a-erp')
    await confirmed(question.getByRole('button', { name: 'Delete' }), async () => (await panel.count()) === 0)
    await expect
      .poll(() => page.evaluate("document.activeElement.closest('tr')?.textContent"))
      .toContain('erp')
  },
)
