/** The state of the live connection in the admin page: live, paused, stale with the time since, a hidden tab. */
import { expect, test } from 'vitest'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { openPage } from '../_support/page.ts'
import { startServer } from '../_support/server.ts'

test.runIf(CHROMIUM)(
  'live state: the server stops and returns → stale since then, live again at once',
  async () => {
    const broker = await BrokerUnderTest.spawn()
    const { page } = await openPage(broker, '/system')
    const state = page.locator('header .live')
    await expect.poll(() => state.getAttribute('data-state')).toBe('live')
    const dot = "getComputedStyle(document.querySelector('header .live'), '::before').backgroundColor"
    const colour = await page.evaluate(dot)
    // The page also tries again by itself. No attempt succeeds before the button is pressed.
    let isReachable = false
    await page.route('**/admin/api/events*', (route) => (isReachable ? route.continue() : route.abort()))
    await broker.server.kill()
    const bar = page.getByRole('alert').filter({ hasText: 'Not connected since' })
    await bar.waitFor()
    expect(await state.innerText()).toBe('Stale')
    expect(await page.evaluate(dot)).not.toBe(colour)
    expect(await bar.locator('time').innerText()).toMatch(/\d\d:\d\d:\d\d/)

    await startServer({
      args: ['--host', `127.0.0.1:${broker.port}`],
      env: { JWT_SECRET },
      dataDir: broker.dataDir,
    })
    const retry = page.getByRole('button', { name: 'Retry now' })
    await retry.waitFor()
    isReachable = true
    await retry.dispatchEvent('click')
    await expect.poll(() => state.getAttribute('data-state')).toBe('live')
    await bar.waitFor({ state: 'hidden' })
  },
)

test.runIf(CHROMIUM)(
  'live state: 15 s without a byte → stale until the next one; a held list → paused',
  async () => {
    const broker = await BrokerUnderTest.start()
    const { page } = await openPage(broker, '/system')
    const state = page.locator('header .live')
    await expect.poll(() => state.getAttribute('data-state')).toBe('live')
    await page.clock.install()
    // This event sets the timer by the clock that is held.
    await page.getByRole('link', { name: 'Messages', exact: true }).click()
    await page.getByText('No messages yet').waitFor()
    await broker.send('lamp', { command: 'on' })
    await page.clock.runFor(2_000)
    await page.getByRole('row', { name: 'lamp' }).waitFor()
    await page.clock.fastForward(15_001)
    await page.getByText('Figures may be out of date.').waitFor()
    // The heartbeat of the server arrives.
    await expect.poll(() => state.getAttribute('data-state')).toBe('live')
    await page.getByRole('link', { name: 'Messages', exact: true }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    expect(await state.innerText()).toBe('Paused')
  },
)

test.runIf(CHROMIUM)('hidden tab: after 60 s it closes its stream; shown → it reads again', async () => {
  const broker = await BrokerUnderTest.start()
  const { page, requests } = await openPage(broker, '/messages')
  const state = page.locator('header .live')
  await expect.poll(() => state.getAttribute('data-state')).toBe('live')
  await page.clock.install()
  const show = (isHidden: boolean): Promise<unknown> =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'))`)
  await show(true)
  await page.clock.runFor(59_000)
  expect(await state.getAttribute('data-state')).not.toBe('connecting')
  await page.clock.runFor(1_001)
  await expect.poll(() => state.getAttribute('data-state')).toBe('connecting')
  await broker.send('lamp', { command: 'while-hidden' })
  const before = requests.length
  await show(false)
  await expect.poll(() => state.getAttribute('data-state')).toBe('live')
  await page.clock.runFor(2_000)
  await page.getByRole('row', { name: 'while-hidden' }).waitFor()
  expect(requests.slice(before).some((url) => url.includes('/admin/api/events'))).toBe(true)
})
