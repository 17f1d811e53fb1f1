/** The list of messages in the admin page: filters in the address, replay all, live updates, pause, reconnection. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { confirmed, expectQuiet, openPage, signIn } from '../_support/page.ts'
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
  await page.getByText('Paused. One message has changed.').waitFor()
  expect(await page.getByRole('row', { name: 'lamp' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('row', { name: 'off' }).waitFor()
  expect(await row.first().locator('time').getAttribute('title')).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  )
  await page.getByRole('row', { name: 'Completed' }).locator('time').click()
  await expect.poll(() => page.url()).toMatch(new RegExp(`#/messages/${first}$`))
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('messages page: filters → in the address, and read from it', async () => {
  for (const [device, command] of [
    ['a/ü?#', 'x'],
    ['a/ü?#', 'yes'],
    ['b', 'x'],
  ] as const) {
    await broker.send(device, { command })
  }
  const opened = await openPage(broker, `/messages?${new URLSearchParams({ deviseId: 'a/ü?#' })}`)
  const { page } = opened
  const rows = page.locator('tbody tr')
  await rows.nth(1).waitFor()
  expect(await rows.count()).toBe(2)
  await page.getByRole('button', { name: 'Remove the filter Device: a/ü?#' }).waitFor()

  await page.getByLabel('Search device, command').fill('YE')
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URLSearchParams(page.url().split('?').at(-1)).get('search')).toBe('YE')
  await page.getByLabel('Status').selectOption('Cancelled')
  await page.getByText('No message matches these filters').waitFor()
  await page.reload()
  await page.getByText('No message matches these filters').waitFor()
  await page.getByText('Clear filters').click()
  await expect.poll(() => rows.count()).toBe(3)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('messages page: text in a filter → outlives live updates', async () => {
  const { page } = await openPage(broker, '/messages')
  await page.getByText('No messages yet').waitFor()
  const field = page.getByLabel('Search device, command')
  await field.pressSequentially('la')
  for (const command of ['one', 'two']) {
    await broker.send('lamp', { command })
    await page.getByRole('row', { name: command }).waitFor()
  }
  expect(await field.inputValue()).toBe('la')
})

test.runIf(CHROMIUM)('messages page: a word in the data → found, and shown as it was sent', async () => {
  await broker.send('lamp', { command: 'on', data: { zone: 7 } })
  const text = '{"command":"big","data":{"n":12345678901234567890.0}}'
  await broker.rest.put('/producer/request/lamp', text)
  const { page } = await openPage(broker, '/messages')
  await page.getByRole('row', { name: '{"n":12345678901234567890.0}' }).waitFor()
  const rows = page.locator('tbody tr')
  await page.getByRole('checkbox', { name: 'In data' }).check()
  await page.getByLabel('Search in data', { exact: true }).fill('zo')
  await page.getByText('Type at least 3 characters.').waitFor()
  await page.getByLabel('Search in data', { exact: true }).fill('"ZONE":7')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('heading', { name: 'Messages 1' }).waitFor()
})

test.runIf(CHROMIUM)('messages page: columns → sender, duration, attempts, and the successor', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await broker.rest.post(`/admin/api/messages/${id}/resend`, { force: false })
  const { page } = await openPage(broker, '/messages')
  await page.setViewportSize({ width: 1440, height: 900 })
  const failed = page.locator(`tr[data-row="${id}"]`)
  await failed.getByText('Failed').waitFor()
  const cells = await failed.getByRole('cell').allInnerTexts()
  expect(cells.slice(6, 9)).toEqual(['admin', expect.stringMatching(/^[\d.]+ (ms|sec)$/), '1'])
  await failed.getByRole('link', { name: `re-sent as ${id + 1}` }).click()
  await page.getByRole('heading', { name: `Message ${id + 1}` }).waitFor()
})

test.runIf(CHROMIUM)('messages page: presets → with counts that their lists show', async () => {
  const id = await broker.send('lamp', { command: 'on' })
  await broker.send('lamp', { command: 'off' })
  await broker.poll('lamp')
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  const { page } = await openPage(broker, '/messages')
  const rows = page.locator('tbody tr')
  await page.getByRole('link', { name: 'Pending 1' }).waitFor()
  await page.getByRole('link', { name: 'Failed 24 h 1' }).click()
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Failed')])
  await page.getByRole('link', { name: 'Yesterday 0' }).click()
  await page.getByText('No message matches these filters').waitFor()
  await page.getByText('The time range is over.').waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
})

test.runIf(CHROMIUM)(
  'messages page: replay all that match → back in their queues; skipped ones counted',
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
    await page.getByLabel('Status').selectOption('Parked')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.getByText('Parked').count()).toBe(2)
    expect(new URLSearchParams(page.url().split('?').at(-1)).get('cause')).toBe('NOT_ACKNOWLEDGED')

    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check()
    await page.getByRole('button', { name: 'Replay messages' }).click()
    const dialog = page.getByRole('dialog')
    const start = dialog.getByRole('button', { name: /^Replay \d/ })
    await start.waitFor()
    await confirmed(start, async () => (await start.count()) === 0)
    await expect.poll(() => broker.status(replayed)).toBe('NOT_DELIVERED')
    expect(await broker.status(skipped)).toBe('UNKNOWN')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.textContent()).toContain('full')
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'messages page: more than 500 ticked → says so; all that match → an action',
  async () => {
    const deviceIds = Array.from({ length: 500 }, (_, i) => `pump-${i}`)
    await broker.rest.post('/admin/api/messages/send', { deviceIds, command: 'on', data: {} })
    await broker.send('pump-500', { command: 'on' })
    const { page } = await openPage(broker, '/messages')
    const rows = page.locator('tbody tr')
    for (let shown = 50; shown < 501; shown += 50) {
      await expect.poll(() => rows.count()).toBe(shown)
      await page.getByRole('button', { name: 'Show more' }).click()
    }
    await expect.poll(() => rows.count()).toBe(501)
    const bar = page.locator('.selection')
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).check()
    await bar.getByText('An action takes at most 500 selected rows.').waitFor()
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Select all 501 that match', 'Clear'])
    await page.keyboard.press('r')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await bar.getByRole('button', { name: 'Select all 501 that match' }).click()
    await bar.getByRole('button', { name: 'Cancel commands' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 501 commands' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'Select 501', exact: true }).uncheck()
    await bar.getByRole('button', { name: 'Cancel commands' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 500 commands' }).waitFor()
  },
)

test.runIf(CHROMIUM)('messages page: x and Shift+click → a selection that Escape clears', async () => {
  for (let i = 0; i < 6; i++) await broker.send('lamp', { command: `on-${i}` })
  const { page } = await openPage(broker, '/messages')
  await page.locator('tbody tr').nth(5).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('region', { name: '1 selected' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select 3' }).click({ modifiers: ['Shift'] })
  await page.getByRole('region', { name: '4 selected' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.selection').waitFor({ state: 'detached' })
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
})

test.runIf(CHROMIUM)('messages page: a reader → the same list, no action and no selection', async () => {
  await broker.send('lamp', { command: 'on' })
  await broker.rest.post('/admin/api/clients', { deviseId: 'guest', password: 'guest-1', role: 'READER' })
  const { page } = await visit(`${broker.server.url}/#/messages`)
  await signIn(page, 'guest', 'guest-1')
  await page.getByRole('row', { name: 'lamp' }).waitFor()
  expect(await page.locator('tbody :is(input, button)').count()).toBe(0)
  expect(await page.locator('thead input').count()).toBe(0)
})

test.runIf(CHROMIUM)('messages page: 60 messages → 50, the others on demand', async () => {
  for (let i = 0; i < 60; i++) await broker.send('lamp', { command: 'on' })
  const { page } = await openPage(broker, '/messages')
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  // The list has grown under the pointer, which holds it.
  await page.getByRole('heading', { name: 'Messages', level: 1 }).hover()
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
  // A live change reads the list again too. No request succeeds before the button was pressed.
  await page.evaluate("addEventListener('click', () => document.body.setAttribute('data-clicked', ''), true)")
  await page.route('**/admin/api/messages?*', async (route) => {
    const wasClicked = await page.locator('body[data-clicked]').count()
    await (wasClicked ? route.continue() : route.abort())
  })
  await page.getByLabel('Search device, command').fill('on')
  await page.getByText('The server cannot be reached. Check that it is running.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('row', { name: 'lamp' }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})
