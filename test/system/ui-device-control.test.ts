/** The actions of an admin on a device: cancel its queue, end its pause, change its settings. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

/** Presses the confirming button of a dialog, which accepts no click in the moment when it appears. */
async function confirm(page: Page, name: string): Promise<void> {
  const button = page.getByRole('dialog').getByRole('button', { name })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test.runIf(CHROMIUM)(
  'device page: cancel one command → with dispatched messages only if wanted',
  async () => {
    const [first, second, other] = [
      await broker.send('lamp', { command: 'dim' }),
      await broker.send('lamp', { command: 'dim' }),
      await broker.send('lamp', { command: 'off' }),
    ]
    await broker.poll('lamp')
    const opened = await openPage(broker, '/devices/lamp')
    const { page } = opened
    const queue = page.getByRole('region', { name: 'Queue' })
    const statuses = async () => [
      await broker.status(first),
      await broker.status(second),
      await broker.status(other),
    ]
    await queue.getByText('In flight, attempt 1').waitFor()
    await queue.getByRole('button', { name: 'By command' }).click()
    await page.getByRole('menuitem', { name: 'Cancel dim (2)' }).click()
    await page.getByLabel('Also cancel commands that were dispatched.').uncheck()
    await confirm(page, 'Cancel dim (2)')
    await page.getByText('1 command cancelled. 1 command was dispatched and stays pending.').waitFor()
    expect(await statuses()).toEqual(['NOT_DELIVERED', 'CANCELLED', 'NOT_DELIVERED'])

    await queue.getByRole('button', { name: 'Cancel all (2)' }).click()
    await page.getByText('The device may have them.').waitFor()
    await confirm(page, 'Cancel all (2)')
    await queue.getByText('No messages are pending for this device.').waitFor()
    await page.getByText('2 commands cancelled.').waitFor()
    expect(await statuses()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('device page: end the pause of a busy device → it gets its command', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.acknowledge('lamp', { busySeconds: 3600 })
  expect(await broker.next('lamp')).toBeNull()
  const opened = await openPage(broker, '/devices/lamp')
  const { page } = opened
  const notice = page.locator('.strip .part').filter({ hasText: 'Busy until' })
  expect(await notice.locator('time').getAttribute('title')).toMatch(/ UTC$/)
  await notice.getByRole('button', { name: 'End busy' }).click()
  await notice.waitFor({ state: 'detached' })
  expect(await broker.next('lamp')).toBe(id)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'device page: settings → numbers, choices and booleans are stored and shown',
  async () => {
    const opened = await openPage(broker, '/devices/lamp')
    const { page } = opened
    const dialog = page.getByRole('dialog')
    const open = () => page.getByRole('button', { name: 'Change settings' }).click()
    const save = () => dialog.getByRole('button', { name: 'Save' }).click()
    const stored = async () => {
      const { body } = await broker.rest.get('/admin/api/devices/lamp?details=true')
      return (body as { settings: object }).settings
    }
    const after = dialog.getByLabel('Dispatch the next command after')
    const details = dialog.getByLabel('Commands carry attempt')
    const finish = dialog.getByLabel('Time to finish a delivered command')
    const attempts = dialog.getByLabel('Attempts before a command is parked')
    await open()
    await expect.poll(() => attempts.getAttribute('placeholder')).toBe('General: 10')
    expect(await details.locator('option').allTextContents()).toEqual(['General value', 'Yes', 'No'])
    await attempts.fill('3')
    await after.selectOption('the device has finished the last one')
    await details.selectOption('Yes')
    await save()
    await dialog.getByRole('alert').getByText('contradict').waitFor()
    expect(await attempts.inputValue()).toBe('3')
    expect(await after.inputValue()).toBe('COMPLETED')

    await finish.fill('60')
    await save()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({
      maxAttempts: 3,
      nextAfter: 'COMPLETED',
      details: true,
      finishSeconds: 60,
      validSeconds: null,
    })
    await page.reload()
    await open()
    await expect.poll(() => after.inputValue()).toBe('COMPLETED')
    expect(await details.inputValue()).toBe('true')
    expect(await finish.inputValue()).toBe('60')
    await details.selectOption('No')
    await after.selectOption('General value')
    await save()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ details: false, nextAfter: null, finishSeconds: 60 })
    expectQuiet({ ...opened, complaints: opened.complaints.filter((each) => !each.includes('400')) }, broker)
  },
)
