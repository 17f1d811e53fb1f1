/** Templates in the admin page: for one or any device; create, send, change, copy, delete with Undo; data exactly as typed. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

test.runIf(CHROMIUM)(
  'templates page: for any device → created, sent, changed, copied, deleted, restored',
  async () => {
    await broker.rest.post('/admin/api/clients', { deviseId: 'lamp-1', password: 'secret' })
    const opened = await openPage(broker, '/templates')
    const { page } = opened
    const dialog = page.getByRole('dialog')
    await page.getByText('No templates yet').waitFor()
    await page.getByRole('button', { name: 'New template' }).click()
    await dialog.getByLabel('Name').fill('Evening <b>light</b>')
    await dialog.getByLabel('Command').fill('dim')
    await dialog.getByLabel('Data (JSON)').fill('{"to":1.0,"serial":12345678901234567890}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row', { name: 'dim' })
    await row.getByText('any device').waitFor()

    await row.getByRole('link', { name: 'Evening <b>light</b>' }).click()
    await expect.poll(() => dialog.getByLabel('Command').inputValue()).toBe('dim')
    await dialog.locator('.devices-field input').fill('lamp-1')
    await dialog.locator('.devices-field input').press('Enter')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByText('“dim” for lamp-1').waitFor()
    await page.keyboard.press('Escape')
    expect((await broker.poll('lamp-1')).text.replace(/\s/g, '')).toContain(
      '"data":{"to":1.0,"serial":12345678901234567890}',
    )

    const act = async (name: string): Promise<void> => {
      await row.getByRole('button').last().click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Edit template')
    await dialog.getByLabel('For device').selectOption('lamp-1')
    await dialog.getByText('Times').click()
    await dialog.getByLabel('Valid for (seconds)').fill('60')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByRole('link', { name: 'lamp-1' }).waitFor()
    const stored = async () =>
      (await broker.rest.get('/admin/api/saved-messages?details=true')).body as Record<string, unknown>[]
    expect(await stored()).toMatchObject([{ deviseId: 'lamp-1', validSeconds: 60 }])

    await act('Duplicate template')
    await dialog.getByLabel('Command').fill('brighten')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: 'brighten' }).waitFor()

    await act('Delete template')
    await page.getByText('Template “Evening <b>light</b>” deleted').waitFor()
    expect(await stored()).toHaveLength(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
    expect(await stored()).toMatchObject([{ command: 'dim', validSeconds: 60 }, { command: 'brighten' }])

    await page.locator('search input').fill('BRIGHT')
    await row.waitFor({ state: 'detached' })
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'templates page: a message is saved as a template → a new one with its command and data',
  async () => {
    const id = await broker.send('lamp-1', { command: 'dim', data: { to: 40 } })
    const { page } = await openPage(broker, `/messages/${id}`)
    const dialog = page.getByRole('dialog', { name: 'New template' })
    for (const menu of ['Actions', `Actions for ${id}`]) {
      await page.getByRole('button', { name: menu, exact: true }).click()
      await page.getByRole('menuitem', { name: 'Save as template' }).click()
      await dialog.waitFor()
      expect(await dialog.getByLabel('Command').inputValue()).toBe('dim')
      expect(await dialog.getByLabel('Data (JSON)').inputValue()).toBe('{\n  "to": 40\n}')
      await page.goto(`${broker.server.url}/#/messages`)
    }
  },
)
