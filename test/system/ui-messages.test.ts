/** The list of messages in the admin page: filters in the address, replay all, live updates, pause, reconnection. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import { startServer } from '../_support/server.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)('messages page: new messages → appear; paused → only afterwards', async () => {
  const opened = await openPage(broker, '/messages')
  const { page } = opened
  await page.getByText('No messages yet').waitFor()
  await page.getByText('New messages appear automatically.').waitFor()

  const first = await broker.send('lamp', { command: 'on' })
  const row = page.getByRole('row', { name: 'lamp' })
  await row.getByText('Pending').waitFor()
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id: first, deliveryStatus: 'COMPLETED' })
  await row.getByText('Completed').waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  await broker.send('lamp', { command: 'off' })
  await page.getByText(/^Paused\. .* not shown yet\.$/).waitFor()
  expect(await page.getByRole('row', { name: 'lamp' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('row', { name: 'off' }).waitFor()
  expect(await row.first().locator('time').getAttribute('title')).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  )
  await page.getByRole('row', { name: 'Completed' }).getByText('Until it is acknowledged').click()
  await expect.poll(() => page.url()).toMatch(new RegExp(`#/messages/${first}$`))
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('messages page: filters → in the address, and read from it', async () => {
  for (const [device, command] of [
    ['a/ü?#', 'x'],
    ['a/ü?#', 'y'],
    ['b', 'x'],
  ] as const) {
    await broker.send(device, { command })
  }
  const opened = await openPage(broker, `/messages?${new URLSearchParams({ deviseId: 'a/ü?#' })}`)
  const { page } = opened
  const rows = page.locator('tbody tr')
  await rows.nth(1).waitFor()
  expect(await rows.count()).toBe(2)
  expect(await page.getByLabel('Device', { exact: true }).inputValue()).toBe('a/ü?#')

  await page.getByLabel('Command').fill('x')
  await page.getByLabel('Command').press('Enter')
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URLSearchParams(page.url().split('?').at(-1)).get('command')).toBe('x')
  await page.getByLabel('Status').selectOption('Cancelled')
  await page.getByText('No message matches these filters').waitFor()
  await page.reload()
  await page.getByText('No message matches these filters').waitFor()
  await page.getByText('Clear filters').click()
  await expect.poll(() => rows.count()).toBe(3)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'messages page: replay all parked → back in their queues; skipped ones counted',
  async () => {
    const broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
    const skipped = await sendAndPark(broker, 'full')
    await broker.rest.put('/admin/api/devices/full', { queueLimit: 1 })
    await broker.send('full', { command: 'fill' })
    const replayed = await sendAndPark(broker, 'lamp')
    const opened = await openPage(broker, '/messages')
    const { page } = opened
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    const all = page.getByRole('button', { name: 'Replay all' })
    expect(await all.count()).toBe(0)
    await page.getByLabel('Status').selectOption('Parked')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.getByText('Parked').count()).toBe(2)
    expect(new URLSearchParams(page.url().split('?').at(-1)).get('cause')).toBe('NOT_ACKNOWLEDGED')

    await all.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Replay all' }).click()
    await page.getByText('1 message was skipped: its queue is full, or its validity is over.').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.textContent()).toContain('full')
    expect([await broker.status(replayed), await broker.status(skipped)]).toEqual([
      'NOT_DELIVERED',
      'UNKNOWN',
    ])
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('messages page: 60 messages → 50, the others on demand', async () => {
  for (let i = 0; i < 60; i++) await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker, '/messages')
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  // The list has grown under the pointer, which holds it.
  await page.getByRole('heading', { name: 'Messages' }).hover()
  await broker.send('lamp', { command: 'on' })
  await expect.poll(() => rows.count()).toBe(61)
})

test.runIf(CHROMIUM)('messages page: the server restarts → reconnects, none is missing', async () => {
  const broker = await BrokerUnderTest.spawn()
  await broker.send('lamp', { command: 'before' })
  const { page } = await openPage(broker, '/messages')
  await page.getByRole('row', { name: 'before' }).waitFor()
  const { url } = broker.server
  await broker.server.kill('SIGKILL')
  await page.locator('.actions').getByText('Stale').waitFor()
  const args = ['--host', new URL(url).host, '--mqtt', 'off']
  await startServer({ args, dataDir: broker.dataDir, env: { JWT_SECRET } })
  await broker.send('lamp', { command: 'after' })
  await page.getByRole('row', { name: 'after' }).waitFor()
  await page.getByText('New messages appear automatically.').waitFor()
})

test.runIf(CHROMIUM)('messages page: a request fails → says so, and tries again on demand', async () => {
  await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker, '/messages')
  await page.getByRole('row', { name: 'lamp' }).waitFor()
  await page.route('**/admin/api/messages?*', (route) => route.abort())
  await page.getByLabel('Command').fill('on')
  await page.getByLabel('Command').press('Enter')
  await page.getByText('The server cannot be reached. Check that it is running.').waitFor()
  await page.unroute('**/admin/api/messages?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('row', { name: 'lamp' }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})
