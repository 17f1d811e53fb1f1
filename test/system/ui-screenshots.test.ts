/**
 * Takes pictures of the admin page. `SCREENSHOTS=write npx vitest run test/system/ui-screenshots.test.ts` writes those in
 * docs/images. `SCREENSHOTS=/tmp/pictures` takes each screen wide and narrow, light and dark, in each language.
 */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { LOCALES } from '../../src/ui/texts/languages.ts'
import type { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { openPage } from '../_support/page.ts'
import { startPlant } from '../_support/plant.ts'
import { PROJECT } from '../_support/server.ts'

const WANTED = process.env.SCREENSHOTS
const IS_FOR_DOCS = WANTED === 'write'
const DIRECTORY = IS_FOR_DOCS ? join(PROJECT, 'docs/images') : (WANTED ?? '')

/** Ids that are hard to show: a long one, and one with letters and a sign that an address must escape. */
const LONG_ID = `heater-kazan-building-${'0123456789'.repeat(8)}-zone-0009381`
const CYRILLIC_ID = 'насосная/станция 7'

interface Screen {
  readonly name: string
  readonly place: string
  /** Text of the screen once it is loaded, in every language. */
  readonly ready?: string
}

const SCREENS: readonly Screen[] = [
  { name: 'overview', place: '/', ready: 'boiler-2' },
  { name: 'devices', place: '/devices', ready: 'valve-a4' },
  { name: 'device', place: '/devices/pump-2', ready: 'pump-2' },
  { name: 'messages', place: '/messages', ready: 'set-speed' },
  { name: 'message', place: '/messages/1', ready: 'set-speed' },
  { name: 'send', place: '/send?deviseId=pump-1&command=set-speed' },
  { name: 'templates', place: '/templates', ready: 'ignite' },
  { name: 'clients', place: '/access/devices', ready: 'valve-a4' },
  { name: 'connections', place: '/connections', ready: 'valve-a4' },
  { name: 'api', place: '/api', ready: 'mqtt://' },
  { name: 'system', place: '/system', ready: 'Node' },
]

/** Screens that the documentation does not show. */
const FURTHER: readonly Screen[] = [
  { name: 'device-long', place: `/devices/${LONG_ID}`, ready: '0009381' },
  { name: 'device-cyrillic', place: `/devices/${encodeURIComponent(CYRILLIC_ID)}`, ready: 'calibrate' },
  { name: 'message-failed', place: '/messages?outcome=FAILED', ready: 'calibrate' },
  { name: 'incidents', place: '/incidents', ready: 'ignite' },
  { name: 'incident', place: '/incidents/1', ready: 'boiler-2' },
  { name: 'handover', place: '/handover', ready: 'ignite' },
  { name: 'people', place: '/access/people', ready: 'admin' },
  { name: 'refused', place: '/connections/refused', ready: 'meter-17' },
  { name: 'settings', place: '/system/settings', ready: 'server.port' },
  { name: 'backup', place: '/system/backup' },
  { name: 'audit', place: '/system/audit', ready: 'client.create' },
]

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } }

async function addHardIds(broker: BrokerUnderTest): Promise<void> {
  for (const deviseId of [LONG_ID, CYRILLIC_ID]) {
    const description = 'Насосная станция у реки'
    await broker.rest.post('/admin/api/clients', { deviseId, description, password: 'secret' })
    const id = await broker.send(deviseId, { command: 'calibrate', data: { zone: 2 } })
    await broker.acknowledge(deviseId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'valve stuck' })
    await broker.send(deviseId, { command: 'open' })
  }
}

async function show(page: Page, { place, ready }: Screen): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#${place}`)
  await page.locator('main h1').first().waitFor()
  if (ready !== undefined) await page.locator('main').getByText(ready).first().waitFor({ state: 'attached' })
  await page.locator('main .waiting').first().waitFor({ state: 'detached' })
}

async function take(page: Page, name: string, fullPage = false): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const path = join(DIRECTORY, `${name}-${theme}.png`)
    await page.screenshot({ path, fullPage })
    if (IS_FOR_DOCS) await promisify(execFile)('pngquant', ['--force', '--ext', '.png', '64', path])
  }
}

test.runIf(CHROMIUM && IS_FOR_DOCS)('screenshots for docs/images', { timeout: 200_000 }, async () => {
  const broker = await startPlant()
  const door = await visit(broker.server.url)
  await door.page.setViewportSize(SIZES.wide)
  await take(door.page, 'sign-in')
  const { page } = await openPage(broker)
  await page.setViewportSize(SIZES.wide)
  for (const screen of SCREENS) {
    await show(page, screen)
    await take(page, screen.name)
  }
})

test.runIf(CHROMIUM && WANTED && !IS_FOR_DOCS)('screenshots of each look', { timeout: 900_000 }, async () => {
  mkdirSync(DIRECTORY, { recursive: true })
  const broker = await startPlant(200)
  await addHardIds(broker)
  const { page } = await openPage(broker)
  for (const locale of LOCALES) {
    await page.evaluate(`localStorage.setItem('waybill.locale', '${locale}')`)
    await page.reload()
    for (const screen of [...SCREENS, ...FURTHER]) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport)
        await show(page, screen)
        await take(page, `${screen.name}-${locale}-${size}`, size === 'narrow')
      }
    }
  }
})
