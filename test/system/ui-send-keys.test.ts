/** The key `c` opens the send dialog over the screen, for the devices that the screen is about. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { withClients } from '../_support/clients.ts'
import { openPage } from '../_support/page.ts'

const form = (page: Page) => page.getByRole('dialog', { name: 'Send a command' })
const addressed = (page: Page) => form(page).locator('.token .id').allTextContents()

test.runIf(CHROMIUM)(
  'key c on a device after a draft for another → that device alone, its id as it is, the screen stays',
  async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('pump-7', 'pump-9') })
    const { page } = await openPage(broker, '/devices/pump-7')
    for (const id of ['pump-7', 'pump-9']) {
      await page.evaluate(`location.hash = '/devices/${id}'`)
      await page.getByRole('heading', { name: id, level: 1 }).waitFor()
      await page.locator('.strip').waitFor()
      await page.keyboard.press('c')
      await expect.poll(() => addressed(page)).toEqual([id])
      // The first empty field has the focus.
      await page.keyboard.type('stop')
      expect(await form(page).getByLabel('Command').inputValue()).toBe('stop')
      expect(await addressed(page)).toEqual([id])
      expect(page.url()).toMatch(new RegExp(`#/devices/${id}$`))
      await page.keyboard.press('Escape')
      await form(page).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('c')
    await form(page).waitFor()
    await page.keyboard.press('Control+Enter')
    await form(page).getByText('“stop” for pump-9').waitFor()
    expect([await broker.next('pump-7'), await broker.next('pump-9')]).toEqual([null, 1])
  },
)

test.runIf(CHROMIUM)(
  'key c in the list of devices → the focused row, or the selected ones; the list stays',
  async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('bell', 'horn', 'lamp') })
    const { page } = await openPage(broker, '/devices')
    await page.getByRole('row', { name: 'lamp' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('c')
    await expect.poll(() => addressed(page)).toEqual(['bell'])
    await page.keyboard.press('Escape')
    await form(page).waitFor({ state: 'detached' })
    for (const id of ['horn', 'lamp']) await page.getByRole('checkbox', { name: `Select ${id}` }).click()
    await page.keyboard.press('c')
    await expect.poll(() => addressed(page)).toEqual(['horn', 'lamp'])
    await page.keyboard.press('Escape')
    await form(page).waitFor({ state: 'detached' })
    await page.getByRole('region', { name: '2 selected' }).waitFor()
    expect(page.url()).toMatch(/#\/devices$/)
  },
)
