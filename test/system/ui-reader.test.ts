/** The admin page for a client with role READER: every screen without the actions that the server would refuse. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ALERTS_ONLY, BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { expectQuiet, openPage, signIn } from '../_support/page.ts'

/** Screens by path, each with its heading, and whether an admin certainly finds an action there. */
const SCREENS = [
  ['/', 'Overview', true],
  ['/devices', 'Devices', true],
  ['/devices/pump-1', 'pump-1', true],
  ['/messages', 'Messages', false],
  ['/messages/1', 'Message 1', true],
  ['/templates', 'Templates', true],
  ['/access/people', 'Access', true],
  ['/access/devices', 'Access', true],
  ['/connections', 'Connections', false],
  ['/connections/refused', 'Connections', false],
  ['/system', 'System', true],
  ['/system/settings', 'System', false],
  ['/system/audit', 'System', false],
  ['/api', 'API', false],
] as const
const ACTION =
  /^(Send|Create|Add|Import|New |Save|Edit|Settings|Set a|Delete|Cancel|Stop|Replay|End|Disconnect|API keys|Acknowledge|Reopen)|Send again|Download a backup/

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({
    ...ALERTS_ONLY,
    dataDir: await withClients('pump-1', ['auditor', 'READER']),
  })
  await broker.send('pump-1', { command: 'start' })
  const failed = await broker.send('pump-1', { command: 'calibrate' })
  await broker.acknowledge('pump-1', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  const clients = (await broker.rest.get('/admin/api/clients')).body as { id: number; deviseId: string }[]
  const clientId = clients.find(({ deviseId }) => deviseId === 'pump-1')?.id
  await broker.rest.post('/admin/api/saved-messages', { clientId, command: 'stop' })
})

/** Returns the screens on which a button, or a link that looks like one, is an action. */
async function screensWithActions(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const [place, heading] of SCREENS) {
    await page.goto(`${broker.server.url}/#${place}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await expect.poll(() => page.locator('main .waiting').count()).toBe(0)
    const labels = await page.locator('main button, main a.button').allInnerTexts()
    labels.push(...(await menuLabels(page)))
    if (labels.some((label) => ACTION.test(label.trim()))) found.push(place)
  }
  return found
}

/** Returns the items of the first menu of a row; none if no row has a menu. */
async function menuLabels(page: Page): Promise<string[]> {
  const menu = page.locator('main .row-menu:visible').first()
  if ((await menu.count()) === 0) return []
  await menu.click()
  const labels = await page.getByRole('menuitem').allInnerTexts()
  await page.keyboard.press('Escape')
  return labels
}

/** Returns the screens on which rows can be selected. */
async function screensWithSelection(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const [place, heading] of SCREENS) {
    await page.goto(`${broker.server.url}/#${place}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await expect.poll(() => page.locator('main .waiting').count()).toBe(0)
    if ((await page.locator('main table input[type="checkbox"]').count()) > 0) found.push(place)
  }
  return found
}

test.runIf(CHROMIUM)('READER on the page: every screen → shown without actions', async () => {
  const opened = await visit(`${broker.server.url}/`)
  const { page } = opened
  await signIn(page, 'auditor', PASSWORD)
  expect(await screensWithActions(page)).toEqual([])
  expect(await screensWithSelection(page)).toEqual([])
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Send' }).count()).toBe(0)
  await page.goto(`${broker.server.url}/#/`)
  const alert = page.locator('.attention li').filter({ hasText: 'pump-1' })
  await alert.getByRole('link', { name: 'Open' }).waitFor()
  for (const key of ['j', 'e', 'r', 'x', 'c']) await page.keyboard.press(key)
  expect(await page.locator('dialog[open], :popover-open').count()).toBe(0)
  expect(await alert.count()).toBe(1)
  await page.reload()
  await page.getByText('auditor').first().waitFor()
  await page.goto(`${broker.server.url}/#/send`)
  expect(await page.getByLabel('Command').count()).toBe(0)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('MAN on the page: the same screens → with actions', async () => {
  const { page } = await openPage(broker)
  const expected = SCREENS.filter(([, , hasAction]) => hasAction).map(([place]) => place)
  expect(await screensWithActions(page)).toEqual(expect.arrayContaining(expected))
})
