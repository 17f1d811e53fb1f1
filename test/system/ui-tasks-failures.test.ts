/** Sends the failures of a night again, from the figure of the overview to the report. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { confirmOnce, expectQuiet, figureCard, openPage } from '../_support/page.ts'

const FAILURES = 59
const DEVICES = 12

/** Makes failures of several devices, and one success. Returns how many failures each device has. */
async function failOften(broker: BrokerUnderTest): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (let i = 0; i < FAILURES; i++) {
    const deviceId = `pump-${i % DEVICES}`
    const id = await broker.send(deviceId, { command: 'calibrate', data: { zone: i } })
    await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1)
  }
  const id = await broker.send('lamp', { command: 'on' })
  await broker.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  return counts
}

const countOf = async (broker: BrokerUnderTest, query: object): Promise<number> => {
  const { body } = await broker.rest.get(`/admin/api/messages/count?${new URLSearchParams({ ...query })}`)
  return (body as { count: number }).count
}

test.runIf(CHROMIUM)(
  'task: send the 59 failures of last night again → 6 clicks; 59 new messages, and the report says so',
  async () => {
    const broker = await BrokerUnderTest.start()
    const counts = await failOften(broker)
    const opened = await openPage(broker)
    const { page } = opened
    const tile = figureCard(page, 'Failed')
    await tile.getByText('59', { exact: true }).waitFor()
    const acts = await countActs(page)
    await tile.getByRole('link', { name: 'Failed' }).click()
    await page.getByRole('heading', { name: 'Messages 59' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click()
    await page.getByRole('button', { name: 'Select all 59 that match' }).click()
    await page.getByText('All 59 that match are selected').waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    const dialog = page.getByRole('dialog')
    await confirmOnce(dialog.getByRole('button', { name: 'Send 59 commands again' }))
    await dialog.getByText('59 commands sent again').waitFor()
    await dialog.locator('.actions').getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await acts()).toEqual({ clicks: 6, shortcuts: 0 })

    expect(await countOf(broker, {})).toBe(2 * FAILURES + 1)
    expect(await countOf(broker, { outcome: 'FAILED', resent: 'false' })).toBe(0)
    for (const [deviseId, count] of counts)
      expect([deviseId, await countOf(broker, { deviseId, status: 'NOT_DELIVERED' })]).toEqual([
        deviseId,
        count,
      ])
    expectQuiet(opened, broker)
  },
)
