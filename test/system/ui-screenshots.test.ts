/** Takes pictures of the admin page for docs/images: `SCREENSHOTS=write npx vitest run test/system/ui-screenshots.test.ts`. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { openPage } from '../_support/page.ts'
import { startPlant } from '../_support/plant.ts'
import { PROJECT } from '../_support/server.ts'

const WANTED = process.env.SCREENSHOTS
/** `write`, or another directory than docs/images. */
const DIRECTORY = WANTED === 'write' ? join(PROJECT, 'docs/images') : (WANTED ?? '')

interface Screen {
  readonly name: string
  readonly place: string
  /** Brings the screen into the state for the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

const SCREENS: readonly Screen[] = [
  { name: 'overview', place: '/', prepare: (page) => page.getByText('A command failed').waitFor() },
  { name: 'devices', place: '/devices', prepare: (page) => page.getByText('valve-a4').waitFor() },
  {
    name: 'device',
    place: '/devices/pump-2',
    prepare: (page) => page.getByText('Well pump, reserve').waitFor(),
  },
  { name: 'messages', place: '/messages', prepare: (page) => page.getByRole('row').nth(5).waitFor() },
  {
    name: 'message',
    place: '/messages/1',
    prepare: (page) => page.getByText('Completed', { exact: true }).last().waitFor(),
  },
  {
    name: 'send',
    place: '/send?deviseId=pump-1',
    prepare: (page) => page.getByRole('button', { name: 'set-speed' }).click(),
  },
  { name: 'templates', place: '/templates', prepare: (page) => page.getByText('New template').waitFor() },
  { name: 'clients', place: '/clients', prepare: (page) => page.getByText('valve-a4').waitFor() },
  {
    name: 'connections',
    place: '/connections',
    prepare: (page) => page.getByText('valve-a4').first().waitFor(),
  },
  { name: 'api', place: '/api', prepare: (page) => page.getByText('mqtt://').waitFor() },
  { name: 'system', place: '/system', prepare: (page) => page.getByText('server.port').waitFor() },
]

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } }

test.runIf(CHROMIUM && WANTED)('screenshots: each screen → its pictures', { timeout: 200_000 }, async () => {
  mkdirSync(DIRECTORY, { recursive: true })
  const broker = await startPlant()
  const take = async (page: Page, name: string): Promise<void> => {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const path = join(DIRECTORY, `${name}-${theme}.png`)
      await page.screenshot({ path })
      if (WANTED === 'write') await promisify(execFile)('pngquant', ['--force', '--ext', '.png', '64', path])
    }
  }
  const door = await visit(broker.server.url)
  await door.page.setViewportSize(SIZES.wide)
  await take(door.page, 'sign-in')
  const { page } = await openPage(broker)
  for (const { name, place, prepare } of SCREENS) {
    await page.setViewportSize(SIZES.wide)
    await page.goto(`${broker.server.url}/#${place}`)
    await prepare?.(page)
    await take(page, name)
    if (WANTED === 'write') continue
    await page
      .getByLabel(/Language|Язык/)
      .first()
      .selectOption('Русский')
    await page.screenshot({ path: join(DIRECTORY, `${name}-ru.png`) })
    await page
      .getByLabel(/Language|Язык/)
      .first()
      .selectOption('English')
    await page.setViewportSize(SIZES.narrow)
    await page.screenshot({ path: join(DIRECTORY, `${name}-narrow.png`), fullPage: true })
  }
})
