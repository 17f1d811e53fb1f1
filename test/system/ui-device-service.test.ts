/** The page: take a device out of service, change and end that, and keep notes about the device. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

/** Returns a time as a field for local times has it. The browser has the time zone of the test. */
function localMinute(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(atMs - offsetMs).toISOString().slice(0, 16)
}

const serviceOf = async (deviceId: string) => {
  const { body } = await broker.rest.get(`/admin/api/devices/${deviceId}/service`)
  return (body as { service: { reason: string; untilDate: number | null } | null }).service
}

test.runIf(CHROMIUM)('device page: out of service with an end, then back → as the form says', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.send('lamp', { command: 'dim', validSeconds: 3600 })
  await broker.send('fan', { command: 'on' })
  const opened = await openPage(broker, '/devices/lamp')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  const strip = page.locator('.strip .part').filter({ hasText: 'Out of service since' })
  await page.getByRole('button', { name: 'Actions for lamp' }).click()
  await page.getByRole('menuitem', { name: 'Take out of service' }).click()
  await dialog.getByText('1 pending command can expire meanwhile.').waitFor()
  await dialog.getByLabel('Until').fill(localMinute(Date.now() + 86_400_000))
  await dialog.getByText('1 pending command can expire meanwhile.').waitFor()
  await dialog.getByLabel('Reason').fill('new lamp')
  await dialog.getByRole('button', { name: 'Take out of service' }).click()
  await strip.getByText('new lamp').waitFor()
  expect(await serviceOf('lamp')).toMatchObject({ reason: 'new lamp', untilDate: expect.any(Number) })
  expect(await broker.next('lamp')).toBeNull()

  await page.getByRole('button', { name: 'Actions for lamp' }).click()
  await page.getByRole('menuitem', { name: 'Change reason or end' }).click()
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('new lamp')
  await dialog.getByLabel('Reason').fill('new wire')
  await dialog.getByLabel('Until').fill('')
  await dialog.getByRole('button', { name: 'Change reason or end' }).click()
  await strip.getByText('new wire').waitFor()
  expect(await serviceOf('lamp')).toMatchObject({ reason: 'new wire', untilDate: null })

  await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
  await page.locator('.badge').filter({ hasText: 'Out of service' }).waitFor()
  await page.locator('.presets').getByText('Out of service').click()
  await page.getByRole('link', { name: 'fan' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'lamp' }).first().click()
  await strip.getByRole('button', { name: 'Return to service' }).click()
  await page.getByText('The device is in service again.').waitFor()
  await strip.waitFor({ state: 'detached' })
  expect(await broker.next('lamp')).toBe(id)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('device page: notes → the newest in the strip; added, removed', async () => {
  await broker.send('lamp', { command: 'on' })
  const opened = await openPage(broker, '/devices/lamp')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  const add = async (text: string): Promise<void> => {
    await dialog.getByLabel('New note').fill(text)
    await dialog.getByRole('button', { name: 'Add note' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Actions for lamp' }).click()
  await page.getByRole('menuitem', { name: 'Notes' }).click()
  await dialog.getByText('There are no notes about this device.').waitFor()
  await add('lamp ordered')
  const strip = page.locator('.strip .part')
  await strip.getByText('lamp ordered').waitFor()
  await page.getByRole('button', { name: 'Notes (1)' }).click()
  await add('ключ у Ирины')
  await strip.getByText('ключ у Ирины').waitFor()
  await page.getByRole('button', { name: 'Notes (2)' }).click()
  await dialog.getByRole('button', { name: 'Remove note' }).first().click()
  await dialog.getByText('ключ у Ирины').waitFor({ state: 'detached' })
  const { body } = await broker.rest.get('/admin/api/devices/lamp/notes')
  expect(body).toMatchObject([{ text: 'lamp ordered' }])
  expectQuiet(opened, broker)
})
