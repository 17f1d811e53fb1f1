/** One message in the admin page until it ends: stop, park and replay, result and reason, late reports, pauses, delays. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('message page: cancel a command that was never dispatched → cancelled', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  const opened = await openPage(broker, `/messages/${id}`)
  const { page } = opened
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await dialog.getByText('The device will not receive it.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  expect(await broker.status(id)).toBe('CANCELLED')
  expect(await broker.next('lamp')).toBeNull()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: cancel a dispatched command → a warning, then cancelled', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.poll('lamp')
  const opened = await openPage(broker, `/messages/${id}`)
  const { page } = opened
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await dialog.getByText('The device may have it and may carry it out.').waitFor()
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  expect(await broker.status(id)).toBe('CANCELLED')

  expect((await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })).status).toBe(409)
  await page.reload()
  await page.getByText('The device reported “Completed” too late. It changed nothing.').waitFor()
  expect(await page.getByRole('heading', { name: 'Cancelled' }).count()).toBe(1)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: cancel a command that has ended meanwhile → says so', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.poll('lamp')
  const { page } = await openPage(broker, `/messages/${id}`)
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Cancel command' }).click()
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  await dialog.getByRole('button', { name: 'Cancel command' }).click()
  await dialog.getByText('The command has ended in the meantime.').waitFor()
  expect(await broker.status(id)).toBe('COMPLETED')
})

test.runIf(CHROMIUM)('message page: replay a parked command → back in its queue', async () => {
  broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
  const id = await sendAndPark(broker, 'lamp')
  const opened = await openPage(broker, `/messages/${id}`)
  const { page } = opened
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('heading', { name: 'Parked' }).waitFor()
  await page.getByText('Parked: the last attempt was not acknowledged').waitFor()
  expect(await page.locator('.details').textContent()).toContain('Maximum attempts1')
  await page.getByRole('button', { name: 'Replay' }).click()
  await dialog.getByText('The command returns to its place in the queue').waitFor()
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('heading', { name: 'Pending' }).waitFor()
  await page.getByText('Replayed: back in its place in the queue').waitFor()
  expect(await broker.next('lamp')).toBe(id)
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  await page.getByText('Attempt 2 (REST)').waitFor()
  await page.getByRole('heading', { name: 'Completed' }).waitFor()
  expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: replay a command that ended meanwhile → says why not', async () => {
  broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
  const id = await sendAndPark(broker, 'lamp')
  const { page } = await openPage(broker, `/messages/${id}`)
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Replay' }).click()
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await dialog.getByText('The command cannot be replayed: its status has changed').waitFor()
  expect(await broker.status(id)).toBe('COMPLETED')
})

test.runIf(CHROMIUM)('message page: result and reason → shown and copied digit for digit', async () => {
  const id = await broker.send('lamp', { command: 'measure' })
  await broker.poll('lamp')
  const result = '{"a":1.0,"big":12345678901234567890}'
  const report = `{"id":${id},"deliveryStatus":"COMPLETED_WITH_ERROR","reason":"<b>too hot</b>","result":${result}}`
  expect((await broker.raw('POST', '/consumer/request/lamp', report)).status).toBe(200)
  const opened = await openPage(broker, `/messages/${id}`)
  const { page } = opened
  const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Result' }) })
  await card.getByText('<b>too hot</b>').waitFor()
  expect(await card.locator('pre').textContent()).toBe('{\n  "a": 1.0,\n  "big": 12345678901234567890\n}')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await card.getByRole('button', { name: 'Copy raw' }).click()
  await card.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(result)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('message page: a result that is too long → says that it was dropped', async () => {
  const id = await broker.send('lamp', { command: 'measure' })
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED', result: 'x'.repeat(16_384) })
  const { page } = await openPage(broker, `/messages/${id}`)
  await page.getByText('a result of more than 16,384 bytes, which was dropped').waitFor()
})

test.runIf(CHROMIUM)('message page: a delayed command, a busy device → why and until when', async () => {
  const delayed = await broker.send('lamp', { command: 'on', delaySeconds: 60, validSeconds: 600 })
  const opened = await openPage(broker, `/messages/${delayed}`)
  const { page } = opened
  const open = page.locator('.timeline .open')
  await open.getByText('Scheduled: the command is not due yet. Dispatch at').waitFor()
  expect(await open.locator('time').count()).toBe(1)
  expect(await page.locator('.details').textContent()).toMatch(/Not before.+Valid until/)

  const held = await broker.send('pump', { command: 'on' })
  await broker.acknowledge('pump', { busySeconds: 60 })
  await page.goto(`${broker.server.url}/#/messages/${held}`)
  await open.getByText('Pending: the device is busy. Dispatch at').waitFor()
  expect(await open.locator('time').count()).toBe(1)
  expectQuiet(opened, broker)
})
