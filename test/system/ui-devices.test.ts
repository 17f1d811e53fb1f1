/** Devices in the admin page: the list and its search, creating one, importing a file, exporting all. */
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { tokenOf } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
})

test.runIf(CHROMIUM)('devices page: a device connects, fails, leaves → its row follows', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
  const opened = await openPage(broker, '/devices')
  const { page } = opened
  const row = page.getByRole('row', { name: 'lamp' })
  await row.getByText('Never seen').waitFor()

  const login = { port: broker.mqttPort, username: 'lamp', password: 'secret' }
  const peer = await MqttPeer.connect({ ...login, clientId: 'a' })
  await peer.subscribe('consumer/request/lamp')
  await row.getByText('Online').waitFor()
  await broker.send('lamp', { command: 'blink' })
  await row.getByText('blink').waitFor()
  const { id } = JSON.parse((await peer.next()).text) as { id: number }
  await peer.publish('consumer/response/lamp', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await row.getByText('Failed', { exact: true }).waitFor()
  await peer.end()
  await row.getByText('Seen recently').waitFor()
  await broker.send('lamp', { command: 'again' })
  await row.getByRole('cell', { name: /^1, / }).waitFor()

  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('LAM')
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('combobox', { name: 'Search' }).fill('absent')
  await page.getByText('No device matches the filters').waitFor()
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('devices page: create → logs in with the password shown once', async () => {
  const opened = await openPage(broker, '/devices')
  const { page } = opened
  await page.getByRole('button', { name: 'New device' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Device id').fill('admin')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'admin' }).waitFor()

  await dialog.getByLabel('Device id').fill('a/b ü')
  await dialog.getByLabel('Description').fill('By the door')
  const password = await dialog.getByLabel('Password').inputValue()
  expect(password).toMatch(/^\w{20}$/)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(password).waitFor()
  expect(await tokenOf(broker.server.url, 'a/b ü', password)).not.toBe('')
  await dialog.getByRole('link', { name: 'Open device' }).click()
  await page.getByRole('heading', { name: 'a/b ü' }).waitFor()
  await page.getByText('By the door').waitFor()
  // The browser itself logs an error about the id in use.
  expectQuiet({ ...opened, complaints: opened.complaints.filter((each) => !each.includes('409')) }, broker)
})

test.runIf(CHROMIUM)('devices page: import a file → a preview first; export → all clients', async () => {
  const opened = await openPage(broker, '/devices')
  const { page } = opened
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  const csv =
    'deviseId,password,description\nbell,secret-1,Door\nhorn,secret-2,\nhorn,,\nflag,,no password\nflop\n'
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  })
  await dialog.getByText('What the import would do').waitFor()
  await dialog.getByText('3 logins created').waitFor()
  await dialog.getByText('2 lines refused').waitFor()
  await dialog.getByRole('cell', { name: 'flop' }).waitFor()
  expect((await broker.rest.get('/admin/api/clients')).body).toHaveLength(1)

  await dialog.getByRole('button', { name: 'Import 3' }).click()
  await dialog.getByText('The import is done').waitFor()
  await dialog.locator('.actions').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('row', { name: 'bell' }).waitFor()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('clients.csv')
  expect(readFileSync(await file.path(), 'utf8')).toContain('bell,DEVISE,Door')
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)(
  'devices page: tile, chips and lists → the same numbers, a person is no device',
  async () => {
    await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'secret' })
    await broker.rest.post('/admin/api/clients', { deviseId: 'irina', password: 'secret', role: 'READER' })
    await broker.send('bell', { command: 'ring' })
    const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'admin', password: broker.token })
    await peer.subscribe('consumer/request/sim-1')
    const opened = await openPage(broker, '/devices')
    const { page } = opened
    await page.getByRole('heading', { name: 'Devices 3' }).waitFor()
    const shown = () =>
      page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')))
    await expect.poll(shown).toEqual(['bell', 'lamp', 'sim-1'])
    await page.getByRole('link', { name: 'Online 1' }).click()
    await expect.poll(shown).toEqual(['sim-1'])
    await page.getByRole('link', { name: 'Away with pending 1' }).click()
    await expect.poll(shown).toEqual(['bell'])
    expect(page.url()).toContain('state=AWAY')
    await page.getByRole('button', { name: 'Remove' }).first().click()
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'devices page: sort, then select two → send to both, cancel what is pending',
  async () => {
    for (const [deviceId, count] of [
      ['bell', 1],
      ['lamp', 3],
      ['horn', 0],
    ] as const) {
      await broker.rest.post('/admin/api/clients', { deviseId: deviceId, password: 'secret' })
      for (let i = 0; i < count; i++) await broker.send(deviceId, { command: 'go' })
    }
    const opened = await openPage(broker, '/devices')
    const { page } = opened
    await page.getByRole('button', { name: 'Pending', exact: true }).click()
    const first = page.locator('tbody tr').first()
    await expect.poll(() => first.getAttribute('data-row')).toBe('lamp')
    expect(await page.getByRole('columnheader', { name: 'Pending' }).getAttribute('aria-sort')).toBe(
      'descending',
    )

    for (const name of ['lamp', 'bell'])
      await page.locator(`[data-row="${name}"]`).getByRole('checkbox').click()
    const bar = page.getByRole('region', { name: '2 selected' })
    expect(await bar.getByRole('link', { name: 'Send a command' }).getAttribute('href')).toContain(
      'deviseIds=',
    )
    await bar.getByRole('button', { name: 'Cancel pending (4)' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('4 pending commands are cancelled.').waitFor()
    // The button accepts no click in the moment when it appears.
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Cancel pending (4)' }).getAttribute('aria-disabled'))
      .toBe('false')
    await dialog.getByRole('button', { name: 'Cancel pending (4)' }).click()
    await page.getByText('4 commands cancelled.').waitFor()
    await expect
      .poll(async () => (await broker.rest.get('/admin/api/devices/lamp')).body)
      .toMatchObject({ waiting: 0 })
    expectQuiet(opened, broker)
  },
)
