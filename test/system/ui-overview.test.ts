/** The overview of the admin page: live figures and charts. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { figureCard, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('overview: a command is delivered and fails → figures follow', async () => {
  const first = await broker.send('lamp', { command: 'on' })
  await broker.acknowledge('lamp', { id: first, deliveryStatus: 'COMPLETED' })
  const { page } = await openPage(broker)
  const figure = (name: string) => figureCard(page, name).locator('strong')
  await expect.poll(() => figure('Pending').textContent()).toBe('0')

  const id = await broker.send('lamp', { command: 'on' })
  await expect.poll(() => figure('Pending').textContent()).toBe('1')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await expect.poll(() => figure('Failed').textContent()).toBe('1')
  expect(await figure('Pending').textContent()).toBe('0')
})

test.runIf(CHROMIUM)('overview: three commands → the charts are drawn, their numbers are text', async () => {
  for (let i = 0; i < 3; i++) await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker)
  const charts = page.getByRole('figure')
  await charts.first().locator('span').filter({ hasText: 'sent' }).getByText('3', { exact: true }).waitFor()
  expect(await charts.locator('canvas').count()).toBe(3)
  const drawn = `[...document.querySelectorAll('canvas')].map((each) => {
    const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height)
    return data.some((value, i) => i % 4 === 3 && value > 0)
  })`
  expect(await page.evaluate(drawn)).toEqual([true, true, true])
})
