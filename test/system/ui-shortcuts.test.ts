/** Keys, palette and navigation of the admin page, on a desk and on a phone. */
import { beforeAll, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
  // With a delivered command the overview shows figures in place of the first steps.
  const id = await broker.send('pump-7', { command: 'on' })
  await broker.acknowledge('pump-7', { id, deliveryStatus: 'COMPLETED' })
})

test.runIf(CHROMIUM)('keys: g and a letter → the screen; / → its search; ? → the list', async () => {
  const opened = await openPage(broker)
  const { page } = opened
  for (const [key, title] of [
    ['d', 'Devices'],
    ['n', 'Connections'],
    ['s', 'System'],
    ['i', 'Incidents'],
    ['a', 'Access'],
    ['m', 'Messages'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  }
  await page.keyboard.press('/')
  expect(await page.evaluate("document.activeElement.closest('search') !== null")).toBe(true)
  await page.keyboard.type('?g')
  expect(await page.evaluate('document.activeElement.value')).toBe('?g')
  await page.getByRole('heading', { name: 'Messages', level: 1 }).focus()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByLabel('Keyboard shortcuts are on').uncheck()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('keys on a Russian layout → by the position of the key', async () => {
  const { page } = await openPage(broker)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.evaluate(`for (const [key, code] of [['п', 'KeyG'], ['ь', 'KeyM']])
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))`)
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
})

test.runIf(CHROMIUM)('palette: Ctrl+K → screens, devices, a message by number', async () => {
  const opened = await openPage(broker)
  const { page } = opened
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').waitFor()
  await page.keyboard.type('conn')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').waitFor()
  await page.keyboard.type('mp-7')
  await palette.getByRole('option', { name: 'pump-7' }).click()
  await page.getByRole('heading', { name: 'pump-7', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').waitFor()
  await page.keyboard.type('1')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Message 1', level: 1 }).waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('navigation: the address of an earlier release → the new one', async () => {
  const { page } = await openPage(broker, '/clients?search=pump')
  await expect.poll(() => page.url()).toMatch(/#\/access\/devices\?search=pump$/)
  await page.goBack()
  expect(page.url()).not.toContain('/clients')
})

test.runIf(CHROMIUM)('phone: a bar at the bottom, targets of 44 px, icons that can be seen', async () => {
  const { page } = await openPage(broker)
  await page.setViewportSize({ width: 360, height: 800 })
  const bar = page.getByRole('navigation', { name: 'Most used' })
  await bar.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  const more = bar.getByRole('button', { name: 'More' })
  await more.click()
  const links = page.locator('#navigation').getByRole('link')
  for (const link of [...(await links.all()), ...(await bar.getByRole('link').all()), more]) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await links.getByText('Templates').click()
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor()
  expect(await page.locator('#navigation').isVisible()).toBe(false)
  await bar.getByRole('link', { name: 'Overview' }).click()
  await page.locator('.figure').first().waitFor()
  const widths = await page
    .locator('.figure > a svg')
    .evaluateAll((icons) => icons.map((each) => each.getBoundingClientRect().width))
  expect(widths.length).toBeGreaterThan(0)
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(16)
  // Between a phone and a desk the button of the menu shows its icon against the bar, also under the pointer.
  await page.setViewportSize({ width: 800, height: 800 })
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.hover()
  const background = "getComputedStyle(document.querySelector('.bar .menu')).backgroundColor"
  await expect.poll(() => page.evaluate(background)).toBe('rgb(32, 53, 63)')
})
