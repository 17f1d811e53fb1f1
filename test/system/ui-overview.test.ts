/** The overview of the admin page: live figures, and the problems that need attention. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('overview: a command fails → figures follow, send again works', async () => {
  const opened = await openPage(broker)
  const { page } = opened
  await page.getByText('Nothing needs your attention').waitFor()
  const figure = (name: string) => page.locator('.figure').filter({ hasText: name }).locator('strong')
  expect(await figure('Messages waiting').textContent()).toBe('0')

  const id = await broker.send('lamp', { command: 'on' })
  await expect.poll(() => figure('Messages waiting').textContent()).toBe('1')
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await page.getByText('A command failed.').waitFor()
  expect(await figure('Failed in 24 h').textContent()).toBe('1')
  expect(await figure('Messages waiting').textContent()).toBe('0')

  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => figure('Messages waiting').textContent()).toBe('1')
  expect((await broker.poll('lamp')).body).toMatchObject([{ command: 'on' }])
  await page.locator('.attention').getByRole('link', { name: 'lamp' }).click()
  await page.getByRole('heading', { name: 'lamp' }).waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('overview: three commands → the charts are drawn, their numbers are text', async () => {
  for (let i = 0; i < 3; i++) await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker)
  const charts = page.getByRole('figure')
  await charts.nth(1).getByText('3 sent').waitFor()
  expect(await charts.locator('canvas').count()).toBe(2)
  const drawn = `[...document.querySelectorAll('canvas')].map((each) => {
    const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height)
    return data.some((value, i) => i % 4 === 3 && value > 0)
  })`
  expect(await page.evaluate(drawn)).toEqual([true, true])
})
