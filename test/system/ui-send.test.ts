/** Sending a command in the admin page: from any place, with suggestions, data exactly as typed. */
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

/** Confirms the question. Its button takes no click in the moment of its appearance. */
async function sendAnyway(place: Page | Locator): Promise<void> {
  const button = place.getByRole('button', { name: 'Send anyway' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
}

/** Polls a device and returns the text of the answer. */
const delivered = async (deviceId: string): Promise<string> => (await broker.poll(deviceId)).text

test.runIf(CHROMIUM)('send dialog: key c → opens; its data arrives as typed', async () => {
  const opened = await openPage(broker, '/messages')
  const { page } = opened
  await page.getByText('No messages yet').waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Send a command' })
  await dialog.waitFor()
  // The first field has the focus, so no mouse is needed.
  await page.keyboard.type('pump c/1')
  await dialog.getByLabel('Command').fill('set-speed')
  await dialog.getByLabel('Data (JSON)').fill('{"speed": 1.0, "serial": 12345678901234567890}')
  await dialog.getByText('Guarantee:').click()
  await dialog.getByText('Only the newest counts').click()
  await page.keyboard.press('Control+Enter')
  await sendAnyway(dialog)
  await dialog.getByText('The command was accepted').waitFor()
  await dialog.getByText('Pending').waitFor()
  expect(await delivered('pump c/1')).toContain(
    '"command":"set-speed","believerGuarantee":"ONLY_LAST","data":{"speed": 1.0, "serial": 12345678901234567890}}',
  )
  await broker.acknowledge('pump c/1', { id: 1, deliveryStatus: 'COMPLETED' })
  await dialog.getByText('Completed').waitFor()
  await dialog.getByRole('link', { name: 'Open message 1' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain('#/messages/1')
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('send dialog: sent from the field of an unknown device → asked first', async () => {
  const { page } = await openPage(broker, '/send')
  await page.getByLabel('Command').fill('on')
  await page.getByLabel('Device').fill('lamp')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('alertdialog').getByText('lamp').waitFor()
  expect(await broker.next('lamp')).toBeNull()
  await sendAnyway(page)
  await page.getByText('The command was accepted').waitFor()
  expect(await broker.next('lamp')).toBe(1)
})

test.runIf(CHROMIUM)('send dialog: changed while the device is looked up → not sent', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
  const { page } = await openPage(broker, '/send')
  await page.getByLabel('Device').fill('lamp')
  await page.getByLabel('Command').fill('on')
  await page.getByRole('button', { name: 'Remove lamp' }).waitFor()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/admin/api/devices/lamp?*', async (route) => {
    await released
    await route.continue()
  })
  await page.keyboard.press('Control+Enter')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await expect.poll(() => send.getAttribute('aria-busy')).toBe('true')
  await page.getByLabel('Command').fill('off')
  release()
  await expect.poll(() => send.getAttribute('aria-busy')).toBe('false')
  expect(await page.getByLabel('Command').inputValue()).toBe('off')
  expect(await broker.next('lamp')).toBeNull()
})

test.runIf(CHROMIUM)('send dialog: key c in a field → a letter', async () => {
  const { page } = await openPage(broker, '/messages')
  await page.getByLabel('Command').focus()
  await page.keyboard.press('c')
  expect(await page.getByLabel('Command').inputValue()).toBe('c')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test.runIf(CHROMIUM)('send dialog: wrong JSON → the line is marked, nothing is sent', async () => {
  const { page } = await openPage(broker, '/send')
  await page.getByLabel('Device').fill('lamp')
  await page.getByLabel('Command').fill('on')
  const data = page.getByLabel('Data (JSON)')
  for (const [typed, line, message] of [
    [
      '{\n  "a": 1\n  "b": 2\n}',
      '3',
      'Line 3, column 3. A comma or a closing bracket is missing before this',
    ],
    ['{\n  "a": 1,\n}', '3', 'Line 3, column 1. A name in double quotes is missing here'],
    ['{"a": True}', '1', 'Line 1, column 7. A value is missing here'],
    ['[1]', '1', 'The data must be an object'],
    ['{"a": {\n}', '2', 'A closing bracket is missing at the end'],
  ] as const) {
    await data.fill(typed)
    await page.getByText(message).waitFor()
    expect(await page.locator('.json-editor .wrong').allTextContents()).toEqual([line])
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  }
  await data.press('Control+Enter')
  await data.fill('{"a":[1.0,{}],"b":""}')
  await page.getByRole('button', { name: 'Format' }).click()
  expect(await data.inputValue()).toBe('{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": ""\n}')
  expect(await broker.next('lamp')).toBeNull()
})

test.runIf(CHROMIUM)('send dialog: known devices and commands → suggested, input is kept', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp-1', password: 'secret' })
  await broker.send('lamp-2', { command: 'dim', data: { to: 40 }, believerGuarantee: 'NO' })
  const { page } = await openPage(broker, '/messages')
  await page.getByRole('link', { name: 'Send a command' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Device').fill('MP')
  await expect.poll(() => dialog.getByRole('option').allTextContents()).toEqual(['lamp-1', 'lamp-2'])
  await dialog.getByRole('option', { name: 'lamp-2' }).click()
  await dialog.getByRole('button', { name: 'dim' }).click()
  expect(await dialog.getByLabel('Data (JSON)').inputValue()).toBe('{\n  "to": 40\n}')
  await dialog.getByText('Guarantee: Once, without acknowledgement').waitFor()

  // The input is kept while the dialog is closed.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  expect(await dialog.getByLabel('Command').inputValue()).toBe('dim')
})

test.runIf(CHROMIUM)(
  'send dialog: one of three queues is full → two are sent, the third stays as token with its reason',
  async () => {
    broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    for (const deviseId of ['lamp-1', 'lamp-2', 'lamp-3']) {
      await broker.rest.post('/admin/api/clients', { deviseId, password: 'secret' })
    }
    const first = await broker.send('lamp-2', { command: 'on', data: { level: 0.5 } })
    const { page } = await openPage(broker, `/send?messageId=${first}`)
    await page.getByRole('button', { name: 'Remove lamp-2' }).waitFor()
    expect(await page.getByLabel('Data (JSON)').inputValue()).toBe('{\n  "level": 0.5\n}')
    for (const each of ['lamp-1', 'lamp-3']) {
      await page.getByPlaceholder('Add a device').fill(each)
      await page.getByPlaceholder('Add a device').press('Enter')
    }
    await page.getByRole('button', { name: 'Send to 3 devices' }).click()

    await page.getByText('The queue of the device is full: 1 of 1 messages.').waitFor()
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(1)
    await page.getByText('“on” for 2 devices').waitFor()
    expect(await page.getByLabel('Command').inputValue()).toBe('on')
    expect(await broker.next('lamp-1')).not.toBeNull()

    // A message that was dispatched meanwhile is not cancelled.
    await page.getByRole('button', { name: 'Cancel 2 commands' }).click()
    await page.getByText('Command cancelled').waitFor()
    expect(await broker.next('lamp-3')).toBeNull()
  },
)

test.runIf(CHROMIUM)(
  'send dialog: the wrong command → cancelled from the notice with one click; the device is changed',
  async () => {
    for (const deviseId of ['lamp-1', 'lamp-2']) {
      await broker.rest.post('/admin/api/clients', { deviseId, password: 'secret' })
    }
    const opened = await openPage(broker, '/devices/lamp-1')
    const { page } = opened
    await page.getByRole('heading', { name: 'lamp-1' }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Remove lamp-1' }).waitFor()
    // The first empty field has the focus, so the id of the device stays as it is.
    await page.keyboard.type('stop')
    expect(await dialog.getByLabel('Command').inputValue()).toBe('stop')
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('“stop” for lamp-1').waitFor()
    await dialog.getByRole('button', { name: 'Cancel command' }).click()
    await dialog.getByText('Cancelled').waitFor()
    expect(await broker.status(1)).toBe('CANCELLED')

    await dialog.getByRole('button', { name: 'Change device' }).click()
    await dialog.getByLabel('Device').fill('lamp-2')
    expect(await dialog.getByLabel('Command').inputValue()).toBe('stop')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByText('“stop” for lamp-2').waitFor()
    await dialog.getByRole('button', { name: 'Send another' }).click()
    expect(await dialog.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'send dialog: 11 devices → the count is confirmed; Keep editing sends nothing',
  async () => {
    const { page } = await openPage(broker, '/send')
    for (let i = 0; i < 11; i++) {
      await page.locator('.devices-field input').fill(`lamp-${i}`)
      await page.locator('.devices-field input').press('Enter')
    }
    await page.getByLabel('Command').fill('on')
    await page.getByRole('button', { name: 'Send to 11 devices' }).click()
    const question = page.getByRole('alertdialog', { name: 'Send this command to 11 devices?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    expect(await broker.next('lamp-0')).toBeNull()
    await page.getByRole('button', { name: 'Send to 11 devices' }).click()
    await sendAnyway(page)
    await page.getByText('“on” for 11 devices').waitFor()
    await page.getByText('and 1 more').waitFor()
    for (let i = 0; i < 11; i++) expect(await broker.next(`lamp-${i}`)).not.toBeNull()
  },
)
