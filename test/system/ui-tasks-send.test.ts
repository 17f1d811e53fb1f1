/** Sends commands within a number of clicks: the wrong one is stopped, and one goes to ten devices. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { withClients } from '../_support/clients.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

test.runIf(CHROMIUM)('task: stop the wrong command just sent → 1 click, no question', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('pump-7') })
  const opened = await openPage(broker, '/devices/pump-7')
  const { page } = opened
  await page.getByRole('heading', { name: 'pump-7' }).waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove pump-7' }).waitFor()
  await page.keyboard.type('reboot')
  await page.keyboard.press('Control+Enter')
  await dialog.getByText('“reboot” for pump-7').waitFor()
  const acts = await countActs(page)
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await dialog.getByText('Cancelled').waitFor()
  expect(await broker.status(1)).toBe('CANCELLED')
  expect(await acts()).toEqual({ clicks: 1, shortcuts: 0 })
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  expect(await broker.next('pump-7')).toBeNull()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'task: the same command to 10 devices → one form, 4 clicks beside the choice of the ten',
  async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `pump-${i + 10}`)
    const chosen = ids.slice(1, 11)
    const broker = await BrokerUnderTest.start({ dataDir: await withClients(...ids) })
    const opened = await openPage(broker)
    const { page } = opened
    const acts = await countActs(page)
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).first().click()
    for (const id of chosen) await page.getByRole('checkbox', { name: `Select ${id}` }).click()
    await page
      .getByRole('region', { name: '10 selected' })
      .getByRole('link', { name: 'Send a command' })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Remove pump-20' }).waitFor()
    // The command is the first empty field, so it has the focus.
    await page.keyboard.type('reboot')
    await dialog.getByRole('button', { name: 'Send to 10 devices' }).click()
    await dialog.getByText('“reboot” for 10 devices').waitFor()
    expect((await acts()).clicks - chosen.length).toBeLessThanOrEqual(4)
    const got: string[] = []
    for (const id of ids) if ((await broker.next(id)) !== null) got.push(id)
    expect(got).toEqual(chosen)
    expectQuiet(opened, broker)
  },
)
