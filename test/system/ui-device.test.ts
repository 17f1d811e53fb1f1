/** One device in the admin page: its queue, its password, and snippets that run unchanged. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { hasMosquitto } from '../_support/mosquitto.ts'
import { confirmed, expectQuiet, openPage } from '../_support/page.ts'
import { tokenOf } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
})
const hasPython = spawnSync('python3', ['--version']).error === undefined
const NAME = `o'b"r\\ie n$HOME`
const place = `/devices/${encodeURIComponent(NAME)}`

test.runIf(CHROMIUM)('device page: cancel → pending ones are cancelled, dispatched ones stay', async () => {
  const first = await broker.send(NAME, { command: 'first' })
  const second = await broker.send(NAME, { command: 'second' })
  const opened = await openPage(broker, place)
  const { page } = opened
  const queue = page.getByRole('region', { name: 'Queue' })
  const cancel = async (command: string) => {
    await queue.getByRole('row', { name: command }).getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Cancel command' }).click()
    await queue.getByRole('alertdialog').getByText(command).waitFor()
  }
  const confirm = queue.getByRole('alertdialog').getByRole('button', { name: 'Cancel command' })
  await cancel('second')
  await confirmed(confirm, async () => (await broker.status(second)) === 'CANCELLED')
  await page.getByRole('heading', { name: 'Queue' }).click()
  await queue.getByRole('row', { name: 'second' }).waitFor({ state: 'detached' })
  const history = page.getByRole('region', { name: 'Latest messages' })
  await history.getByRole('row', { name: 'second' }).getByText('Cancelled').waitFor()

  await broker.poll(NAME)
  await cancel('first')
  const problem = queue.getByText('Already dispatched. The device may have it.')
  await confirmed(confirm, () => problem.isVisible())
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Queue' }).click()
  expect(await broker.status(first)).toBe('NOT_DELIVERED')
  await broker.acknowledge(NAME, { id: first, deliveryStatus: 'COMPLETED' })
  await queue.getByText('No messages are pending for this device.').waitFor()
  await history.getByRole('link', { name: 'Show all messages of this device' }).click()
  await expect.poll(() => page.getByLabel('Device', { exact: true }).inputValue()).toBe(NAME)
  expectQuiet({ ...opened, complaints: opened.complaints.filter((each) => !each.includes('409')) }, broker)
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

  await page.getByRole('button', { name: 'Set a new password' }).click()
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
      await page.getByRole('button', { name: 'Settings', exact: true }).click()
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
