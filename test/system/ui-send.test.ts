/** Sending a command in the admin page: from any place, with suggestions, data exactly as typed. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

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
  await dialog.getByText('Only the last one counts').click()
  await page.keyboard.press('Control+Enter')
  await dialog.getByText('The command is on its way').waitFor()
  await dialog.getByText('Waiting').waitFor()
  expect(await delivered('pump c/1')).toContain(
    '"command":"set-speed","believerGuarantee":"ONLY_LAST","data":{"speed": 1.0, "serial": 12345678901234567890}}',
  )
  await broker.acknowledge('pump c/1', { id: 1, deliveryStatus: 'COMPLETED' })
  await dialog.getByText('Completed').waitFor()
  await dialog.getByRole('link', { name: 'To message 1' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain('#/messages/1')
  expectQuiet(opened, broker)
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
    ['{\n  "a": 1,\n}', '3', 'Line 3, column 1. A name in double quotes has to be here'],
    ['{"a": True}', '1', 'Line 1, column 7. A value has to be here'],
    ['[1]', '1', 'The data has to be an object'],
    ['{"a": {\n}', '2', 'A closing bracket is missing at the end'],
  ] as const) {
    await data.fill(typed)
    await page.getByText(message).waitFor()
    expect(await page.locator('.json-editor .wrong').allTextContents()).toEqual([line])
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  }
  await data.press('Control+Enter')
  await data.fill('{"a":[1.0,{}],"b":""}')
  await page.getByRole('button', { name: 'Tidy up' }).click()
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
  await expect
    .poll(() => page.evaluate("[...document.querySelectorAll('datalist option')].map((each) => each.value)"))
    .toEqual(['lamp-1', 'lamp-2'])
  await dialog.getByLabel('Device').fill('lamp-2')
  await dialog.getByRole('button', { name: 'dim' }).click()
  expect(await dialog.getByLabel('Data (JSON)').inputValue()).toBe('{\n  "to": 40\n}')
  expect(await dialog.getByLabel('Once, without confirmation').isChecked()).toBe(true)

  // The input is kept while the dialog is closed.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  expect(await dialog.getByLabel('Command').inputValue()).toBe('dim')
})

test.runIf(CHROMIUM)('send dialog: the queue is full → the reason in words, the form stays', async () => {
  broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
  const first = await broker.send('lamp', { command: 'on', data: { level: 0.5 } })
  const { page } = await openPage(broker, `/send?messageId=${first}`)
  await expect.poll(() => page.getByLabel('Device').inputValue()).toBe('lamp')
  expect(await page.getByLabel('Data (JSON)').inputValue()).toBe('{\n  "level": 0.5\n}')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Too many commands wait for this device already.').waitFor()
  expect(await page.getByLabel('Command').inputValue()).toBe('on')
})
