/** Every screen of the admin page is accessible, usable by keyboard, fits a telephone, and shows texts of devices as text. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { LOCALES } from '../../src/ui/texts/languages.ts'
import type { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { eventually } from '../_support/eventually.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { refusalOf } from '../_support/mqtt.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { startPlant } from '../_support/plant.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const EVIL = '<img src=x onerror="window.hacked=1">'

/** Places with a text that is visible when they are loaded, and a button that opens a dialog or a question. */
const PLACES: readonly (readonly [place: string, ready: string, button?: string])[] = [
  ['/', 'Needs attention'],
  ['/incidents', EVIL],
  ['/incidents', EVIL, 'Actions for'],
  ['/incidents/muted', 'No incident is muted'],
  ['/incidents/history', 'Incidents'],
  ['/incidents/1', 'Device or address'],
  ['/incidents/1', 'Device or address', 'Actions'],
  ['/handover', 'Failed commands'],
  ['/devices', 'valve-a4'],
  ['/devices/pump-2', 'Connect this device'],
  ['/devices/pump-2', 'Connect this device', 'Change settings'],
  ['/devices/pump-2', 'Connect this device', 'Actions for pump-2'],
  [`/devices/${encodeURIComponent(EVIL)}`, 'Connect this device'],
  ['/devices/%', 'Connect this device'],
  ['/devices/busy', 'Busy until'],
  ['/devices/busy', 'Busy until', 'Cancel all'],
  ['/messages', 'set-speed'],
  ['/messages/1', 'Attempt 1 (MQTT)'],
  ['/messages/12', EVIL, 'Send again'],
  ['/messages/13', 'Failed: the device reports an error'],
  ['/messages/14', 'Not finished in time', 'Replay'],
  ['/messages/15', 'the device asked for a pause', 'Cancel command'],
  ['/messages?cause=EXPIRED', 'No message matches these filters'],
  ['/messages', 'set-speed', 'Columns and density'],
  ['/send?messageId=12', 'Guarantee:'],
  ['/templates', EVIL],
  ['/templates', EVIL, 'Actions for'],
  ['/access/people', 'admin'],
  ['/access/people', 'admin', 'New person'],
  ['/access/people?open=admin', 'This is the last administrator'],
  ['/access/devices', EVIL],
  ['/access/devices', EVIL, 'Import'],
  ['/access/devices', EVIL, 'New password'],
  [`/access/devices?open=${encodeURIComponent(EVIL)}`, 'Gateway devices'],
  ['/connections', 'valve-a4'],
  ['/connections', 'valve-a4', 'Disconnect'],
  ['/connections/refused', 'Wrong id or password'],
  ['/api', 'mqtt://'],
  ['/system', 'Event-loop lag p99'],
  ['/system/settings', 'server.port'],
  ['/system/backup', 'waybill db restore'],
  ['/system/audit', 'Any time'],
  ['/nowhere', 'This page does not exist'],
]

let broker: BrokerUnderTest
beforeAll(async () => {
  if (!CHROMIUM) return
  broker = await startPlant(200)
  await broker.rest.post('/admin/api/clients', { deviseId: EVIL, password: 'secret', description: EVIL })
  await broker.send(EVIL, { command: EVIL, data: { [EVIL]: EVIL } })
  const { body } = await broker.rest.get('/admin/api/clients')
  const client = (body as { id: number; deviseId: string }[]).find(({ deviseId }) => deviseId === EVIL)
  await broker.rest.post(`/admin/api/clients/${client?.id}/keys`, { description: EVIL })
  const template = { clientId: client?.id, description: EVIL, command: EVIL, data: { [EVIL]: EVIL } }
  await broker.rest.post('/admin/api/saved-messages', template)
  await refusalOf({ port: broker.mqttPort, username: EVIL, password: 'wrong', clientId: EVIL })
  const failed = await broker.send(EVIL, { command: EVIL })
  await broker.poll(EVIL)
  const report = { reason: EVIL, result: { [EVIL]: EVIL } }
  await broker.acknowledge(EVIL, { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR', ...report })
  const slow = await broker.send('slow', { command: 'go', finishSeconds: 1 })
  await broker.acknowledge('slow', { id: slow, deliveryStatus: 'DELIVERED' })
  await eventually(async () => expect(await broker.status(slow)).toBe('UNKNOWN'))
  await broker.send('busy', { command: 'go', validSeconds: 3_600, maxAttempts: 3, idempotencyKey: 'k' })
  await broker.poll('busy')
  await broker.acknowledge('busy', { busySeconds: 3_600 })
  await eventually(async () => {
    const { body } = await broker.rest.get('/admin/api/incidents')
    const keys = (body as { items: { key: string }[] }).items.map(({ key }) => key)
    expect(keys).toContain(`FAILED:${EVIL}`)
  })
}, 60_000)

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Returns the serious violations that axe-core finds. */
async function violations(page: Page): Promise<string[]> {
  // Runs it as a debugger does, so that the security policy of the page stays.
  await page.evaluate(AXE)
  const found = (await page.evaluate('axe.run().then((result) => result.violations)')) as Violation[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

async function at(page: Page, [place, ready, button]: (typeof PLACES)[number]): Promise<void> {
  // Leaves the place first, which closes its dialog.
  await page.goto(`${broker.server.url}/#/nowhere`)
  await page.getByText('This page does not exist').waitFor()
  await page.goto(`${broker.server.url}/#${place}`)
  await page.getByText(ready).first().waitFor()
  if (button === undefined) return
  await page.locator('main').getByRole('button', { name: button }).last().click()
  await page.locator('dialog, [role=dialog], [role=alertdialog], [role=menu]').waitFor()
}

describe.runIf(CHROMIUM)('every screen', { timeout: 2 * LIMIT_MS }, () => {
  test('axe-core, light and dark → no serious violation', async () => {
    const door = await visit(broker.server.url)
    const { page } = await openPage(broker)
    for (const colorScheme of ['light', 'dark'] as const) {
      await door.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([colorScheme, '/sign-in', await violations(door.page)]).toEqual([colorScheme, '/sign-in', []])
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const each of PLACES) {
        await at(page, each)
        expect([colorScheme, each[0], await violations(page)]).toEqual([colorScheme, each[0], []])
      }
    }
  })

  test('axe-core on its dialogs → no serious violation', async () => {
    const { page } = await openPage(broker, '/devices')
    for (const name of ['New device', 'Import']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect([colorScheme, name, await violations(page)]).toEqual([colorScheme, name, []])
      }
      await page.keyboard.press('Escape')
    }
  })

  test('texts with HTML of devices and producers → shown as text, no other host is requested', async () => {
    const opened = await openPage(broker)
    const { page } = opened
    for (const each of PLACES) {
      await at(page, each)
      expect([each[0], await page.locator('img[src="x"]').count()]).toEqual([each[0], 0])
    }
    await at(page, ['/messages', EVIL])
    await at(page, [`/devices/${encodeURIComponent(EVIL)}`, EVIL])
    await at(page, ['/', EVIL])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expectQuiet(opened, broker)
  })

  test('360 pixels wide, each language → no wider', async () => {
    const { page } = await openPage(broker)
    await page.setViewportSize({ width: 360, height: 740 })
    for (const locale of LOCALES) {
      await page.evaluate(`localStorage.setItem('waybill.locale', '${locale}')`)
      await page.reload()
      for (const [place] of PLACES) {
        await page.goto(`${broker.server.url}/#${place}`)
        await page.locator('main h1').first().waitFor()
        await expect.poll(() => page.locator('.waiting').count()).toBe(0)
        expect([place, locale, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          place,
          locale,
          360,
        ])
      }
    }
  })

  test('keyboard alone → reachable, the focus is visible', async () => {
    const { page } = await openPage(broker)
    await page.getByText('Needs attention').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Time range')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')

    await page.getByRole('link', { name: 'Devices', exact: true }).focus()
    await page.keyboard.press('Enter')
    const create = page.getByRole('button', { name: 'New device' })
    await create.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('id')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toContain('New device')
  })
})
