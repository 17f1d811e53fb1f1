/** The first day: the overview leads from the first device to the first delivered command, in place of the figures. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { tokenOf, withToken } from '../_support/rest.ts'

test.runIf(CHROMIUM)(
  'task: the first command to a first device → 5 clicks, each step ticks itself',
  async () => {
    const broker = await BrokerUnderTest.start()
    const opened = await openPage(broker)
    const { page } = opened
    const steps = page.locator('.first-steps li')
    const done = () => steps.locator('xpath=self::*[contains(@class, "done")]').count()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(await page.locator('.figure').count()).toBe(0)
    const acts = await countActs(page)

    await page.getByRole('button', { name: 'Add a device' }).click()
    await page.keyboard.type('pump-1')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const example = (await page.locator('.snippet code').textContent()) ?? ''
    await page.locator('.snippet').getByRole('button', { name: 'Copy' }).click()
    expect(await done()).toBe(1)

    // The device does what the example says.
    const password = /"password":"([^"]+)"/.exec(example)?.[1] ?? ''
    const device = withToken(broker.server.url, await tokenOf(broker.server.url, 'pump-1', password))
    await device.get('/consumer/getLastMessage/pump-1')

    await steps.getByRole('link', { name: 'Send a command' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Command', { exact: true }).fill('start')
    await form.getByRole('button', { name: /^Send/ }).click()
    expect((await acts()).clicks).toBeLessThanOrEqual(5)
    await expect.poll(async () => (await broker.poll('pump-1')).body).toMatchObject([{ command: 'start' }])
    await page.keyboard.press('Escape')
    await expect.poll(done).toBe(3)

    const [{ id }] = (await device.get('/consumer/getLastMessage/pump-1')).body as [{ id: number }]
    await device.post('/consumer/request/pump-1', { id, deliveryStatus: 'COMPLETED' })
    await expect.poll(done).toBe(4)
    await page.getByRole('button', { name: 'Show the figures' }).click()
    await page.locator('.figure').first().waitFor()
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('first steps: a command was delivered already → the figures', async () => {
  const broker = await BrokerUnderTest.start()
  const id = await broker.send('pump-1', { command: 'start' })
  await broker.acknowledge('pump-1', { id, deliveryStatus: 'DELIVERED' })
  const { page } = await openPage(broker)
  await page.locator('.figure').first().waitFor()
  expect(await page.getByText('First steps').count()).toBe(0)
})
