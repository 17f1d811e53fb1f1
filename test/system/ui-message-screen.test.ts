/** The screen of one message: its filled button, its neighbours, messages that were sent again, and a phone. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
})

test.runIf(CHROMIUM)('message screen: the last button is the one that the status asks for', async () => {
  const parked = await sendAndPark(broker, 'lamp')
  const pending = await broker.send('pump', { command: 'on' })
  const done = await broker.send('fan', { command: 'on' })
  await broker.poll('fan')
  await broker.acknowledge('fan', { id: done, deliveryStatus: 'COMPLETED' })
  const { page } = await openPage(broker, `/messages/${parked}`)
  for (const [id, label] of [
    [parked, 'Replay'],
    [pending, 'Cancel command'],
    [done, 'Send again'],
  ] as const) {
    await page.goto(`${broker.server.url}/#/messages/${id}`)
    await page.getByRole('heading', { name: `Message ${id}` }).waitFor()
    await expect
      .poll(() => page.locator('.heading .actions > button:not(.icon, .quiet)').allInnerTexts())
      .toEqual([label])
  }
})

test.runIf(CHROMIUM)('message screen: [ and ] → the neighbours in the list it was opened from', async () => {
  const ids: number[] = []
  for (const device of ['lamp', 'pump', 'lamp', 'pump', 'lamp']) {
    ids.push(await broker.send(device, { command: 'on' }))
  }
  const [first, , third, fourth] = ids
  const opened = await openPage(broker, `/messages/${fourth}`)
  const { page } = opened
  const shown = (id: number | undefined) => page.getByRole('heading', { name: `Message ${id}` }).waitFor()
  await shown(fourth)
  await page.getByRole('button', { name: 'Previous message' }).click()
  await shown(third)
  await page.goto(`${broker.server.url}/#/messages?deviseId=lamp`)
  await page.getByRole('link', { name: String(third), exact: true }).click()
  await shown(third)
  await page.keyboard.press('[')
  await shown(first)
  await expect.poll(() => page.getByRole('button', { name: 'Previous message' }).isDisabled()).toBe(true)
  await page.keyboard.press(']')
  await shown(third)
  // The neighbours replace each other, so Back leads to the list.
  await page.goBack()
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message screen: sent again → both link to each other; a second time asks', async () => {
  const id = await broker.send('fan', { command: 'on' })
  await broker.poll('fan')
  await broker.acknowledge('fan', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  const { page } = await openPage(broker, `/messages/${id}`)
  const question = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Send again' }).waitFor()
  await page.keyboard.press('r')
  await question.getByText('as a new message').waitFor()
  await question.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('heading', { name: `Message ${id + 1}` }).waitFor()
  await page.getByRole('link', { name: `sent again from № ${id}` }).click()
  await page.getByRole('link', { name: `re-sent as № ${id + 1}` }).waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await question.getByText(`was already sent again as № ${id + 1}`).waitFor()
})

test.runIf(CHROMIUM)('message screen: a message that is gone → for how long messages are kept', async () => {
  const { page } = await openPage(broker, '/messages/99')
  await page.getByText('Messages are removed 30 days after their end.').waitFor()
})

test.runIf(CHROMIUM)('message screen on a phone: timeline, payload and facts are tabs', async () => {
  const id = await broker.send('fan', { command: 'on', data: { a: 1 } })
  const { page } = await openPage(broker, `/messages/${id}`)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByText('Pending: the device is away.').waitFor()
  const payload = page.getByRole('heading', { name: 'Payload 7 byte' })
  expect(await payload.isVisible()).toBe(false)
  await page.getByText('Payload', { exact: true }).first().click()
  await payload.waitFor()
  expect(await page.getByText('Pending: the device is away.').isVisible()).toBe(false)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

test.runIf(CHROMIUM)(
  'messages: none yet → the hint has its action as a button, also on a phone',
  async () => {
    const { page } = await openPage(broker, '/messages')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByText('No messages yet').waitFor()
    await page.locator('main').getByRole('link', { name: 'Send a command' }).click()
    await page.getByRole('dialog', { name: 'Send a command' }).waitFor()
  },
)
