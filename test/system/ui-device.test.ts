/** One device in the admin page: its queue, its password, and snippets that run unchanged. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { hasMosquitto } from '../_support/mosquitto.ts'
import { expectQuiet, openPage } from '../_support/page.ts'
import { tokenOf } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
})
const hasPython = spawnSync('python3', ['--version']).error === undefined
const NAME = `o'b"r\\ie n$HOME`
const place = `/devices/${encodeURIComponent(NAME)}`

/** Opens the menu of a row, or of the device, and chooses an action. */
async function choose(page: Page, of: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Presses a confirming button, which accepts no click in the moment when it appears. */
async function confirm(page: Page, name: string): Promise<void> {
  const button = page.locator('dialog[open], :popover-open').getByRole('button', { name })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
}

test.runIf(CHROMIUM)(
  'device page: cancel in the queue → asks; a dispatched one after a warning',
  async () => {
    const first = await broker.send(NAME, { command: 'first' })
    const second = await broker.send(NAME, { command: 'second' })
    const opened = await openPage(broker, place)
    const { page } = opened
    const queue = page.getByRole('region', { name: 'Queue' })
    await choose(page, String(second), 'Cancel command')
    await page.getByText('Not dispatched yet. The device will not receive it.').waitFor()
    await confirm(page, 'Cancel command')
    await page.getByText(`Cancelled № ${second}`).waitFor()
    expect(await broker.status(second)).toBe('CANCELLED')
    const history = page.getByRole('region', { name: 'Latest messages' })
    await history.getByRole('row', { name: 'second' }).getByText('Cancelled').waitFor()

    await broker.poll(NAME)
    await queue.getByText('In flight, attempt 1').waitFor()
    await choose(page, String(first), 'Cancel anyway')
    await page.getByText('The device may have it').waitFor()
    await confirm(page, 'Cancel anyway')
    await queue.getByText('No messages are pending for this device.').waitFor()
    expect(await broker.status(first)).toBe('CANCELLED')
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)('device page: a long queue → 20 rows, the oldest first, and all on demand', async () => {
  const ids: number[] = []
  for (let i = 0; i < 24; i++) ids.push(await broker.send(NAME, { command: `n${i}` }))
  const opened = await openPage(broker, place)
  const queue = opened.page.getByRole('region', { name: 'Queue' })
  await queue.getByText('20 of 24').waitFor()
  expect(await queue.locator('tbody tr').first().getAttribute('data-row')).toBe(String(ids[0]))
  expect(await queue.locator('tbody tr').count()).toBe(20)
  await queue.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(() => queue.locator('tbody tr').count()).toBe(24)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM)('device page: an id without a password → gets one, then another', async () => {
  const { page } = await openPage(broker, place)
  await page.getByRole('button', { name: 'Create login' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Device id').inputValue()).toBe(NAME)
  await dialog.getByRole('button', { name: 'Create' }).click()
  const password = await dialog.locator('.secret dd .id').textContent()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const old = await tokenOf(broker.server.url, NAME, password ?? '')

  await choose(page, NAME, 'Set a new password')
  await dialog.getByLabel('Password').fill('another one')
  await dialog.getByRole('button', { name: 'Set the password' }).click()
  await dialog.getByText('The new password is set').waitFor()
  expect(await tokenOf(broker.server.url, NAME, 'another one')).not.toBe('')
  const headers = { authorization: `Bearer ${old}` }
  expect((await fetch(`${broker.server.url}/auth/me`, { headers })).status).toBe(401)
})

test.runIf(CHROMIUM)(
  'device page: settings → a value, an error for one out of range, the general value',
  async () => {
    const opened = await openPage(broker, place)
    const { page } = opened
    const dialog = page.getByRole('dialog')
    const field = dialog.getByLabel('Pacing interval, in milliseconds')
    const save = async (value: string): Promise<void> => {
      await page.getByRole('button', { name: 'Change settings' }).click()
      await field.fill(value)
      await dialog.getByRole('button', { name: 'Save' }).click()
    }
    const stored = async () => {
      const { body } = await broker.rest.get(`/admin/api/devices/${encodeURIComponent(NAME)}?details=true`)
      return (body as { settings: object }).settings
    }
    await save('5000')
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ sendMessagePeriod: 5000 })

    await save('-1')
    await dialog.getByRole('alert').getByText('sendMessagePeriod').waitFor()
    expect(await field.inputValue()).toBe('-1')
    await field.fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ sendMessagePeriod: null })
    expectQuiet({ ...opened, complaints: opened.complaints.filter((each) => !each.includes('400')) }, broker)
  },
)

async function snippet(page: Page, name: string): Promise<string> {
  await page.getByLabel(name, { exact: true }).check()
  return (await page.locator('.snippet pre').textContent()) ?? ''
}

test.runIf(CHROMIUM)('device page: the snippet for curl → runs unchanged', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: NAME, password: 'PASSWORD' })
  const id = await broker.send(NAME, { command: 'go' })
  const opened = await openPage(broker, place)
  const script = await snippet(opened.page, 'curl')
  const { stdout } = await promisify(execFile)('sh', ['-c', script.replace('"id":1', `"id":${id}`)])
  expect(stdout).toContain('"command":"go"')
  expect(await broker.status(id)).toBe('COMPLETED')
  expect(await snippet(opened.page, 'ESP32')).toContain(`mqtt.setServer("127.0.0.1", ${broker.mqttPort});`)
  expectQuiet(opened, broker)
})

test.runIf(CHROMIUM && hasPython)('device page: the snippet for Python → parses, with the id', async () => {
  const { page } = await openPage(broker, place)
  const python = await snippet(page, 'Python')
  expect(python).toContain(`, ${broker.mqttPort})`)
  const named =
    'import ast, sys; print(next(n.value.value for n in ast.parse(sys.argv[1]).body if ast.unparse(n).startswith("DEVICE = ")))'
  expect((await promisify(execFile)('python3', ['-c', named, python])).stdout).toBe(`${NAME}\n`)
})

test.runIf(CHROMIUM)('device page: copy → the snippet, also without navigator.clipboard', async () => {
  const { page } = await openPage(broker, place)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate('window.board = navigator.clipboard')
  const curl = await snippet(page, 'curl')
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('board.readText()')).toBe(curl)

  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
  const python = await snippet(page, 'Python')
  await page.locator('.snippet').getByRole('button').click()
  await expect.poll(() => page.evaluate('board.readText()')).toBe(python)
})

test.runIf(CHROMIUM && hasMosquitto)('device page: mosquitto snippet → receives the command', async () => {
  await broker.rest.post('/admin/api/clients', { deviseId: NAME, password: 'PASSWORD' })
  const { page } = await openPage(broker, place)
  const [listen = ''] = (await snippet(page, 'mosquitto')).split('\n\n')
  const got = promisify(execFile)('sh', ['-c', `${listen.trim()} -C 1`])
  await page.getByText('Online').waitFor()
  await broker.send(NAME, { command: 'go' })
  expect((await got).stdout).toContain('"command":"go"')
})

test.runIf(CHROMIUM)('device page: an id that is no MQTT topic → served over REST only', async () => {
  const { page } = await openPage(broker, `/devices/${encodeURIComponent('a/b')}`)
  await page.getByLabel('mosquitto', { exact: true }).check()
  await page.getByText('Connect this device over REST.').waitFor()
})
