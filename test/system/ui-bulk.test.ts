/** The progress of an action on many messages: it follows the events, and survives the loss of the stream. */
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { eventually } from '../_support/eventually.ts'
import { openPage } from '../_support/page.ts'

const BULK = '/admin/api/messages/bulk'
const RUNNING = { state: 'RUNNING', done: 0, changed: 0, endedDate: null }

let broker: BrokerUnderTest
let ids: number[]
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
  ids = await Promise.all(['on', 'off', 'blink'].map((command) => broker.send('lamp', { command })))
})

/** Asks for an action on all messages, and confirms the question. */
async function cancelAll(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check()
  await page.getByRole('button', { name: 'Cancel commands' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Cancel 3 commands' })
  await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('false')
  await confirm.click()
}

test.runIf(CHROMIUM)(
  'bulk: a reading of the report hangs → the event of the end brings the report',
  async () => {
    const [other, ...rest] = ids
    const { body: first } = await broker.rest.post(BULK, { action: 'REPLAY', ids: [other] })
    const earlier = await eventually(async () => {
      const { body } = await broker.rest.get(`${BULK}/${(first as { id: number }).id}`)
      expect(body).toMatchObject({ state: 'DONE' })
      return body as { id: number }
    })
    const id = earlier.id + 1
    const { page } = await openPage(broker, '/messages')
    await page.getByText('Live', { exact: true }).first().waitFor()
    // The page hears of the job before it starts, so that no event comes too early.
    await page.route(`**${BULK}`, async (route) => {
      const body = route.request().postDataJSON() as { dryRun?: boolean }
      if (body.dryRun) return route.continue()
      await route.fulfill({ status: 202, json: { ...earlier, ...RUNNING, action: 'CANCEL', id } })
    })
    let readings = 0
    await page.route(`**${BULK}/${id}`, (route) => (++readings === 1 ? undefined : route.continue()))

    await cancelAll(page)
    await page.getByRole('button', { name: 'Continue in the background' }).waitFor()
    const { body: started } = await broker.rest.post(BULK, { action: 'CANCEL', ids: [other, ...rest] })
    expect(started).toMatchObject({ id })

    await page.getByText('3 commands cancelled').waitFor()
    expect(readings).toBe(2)
  },
)

test.runIf(CHROMIUM)(
  'bulk: no event arrives, and other nodes answer some readings → the report all the same',
  async () => {
    const { page } = await openPage(broker, '/messages')
    await page.route('**/admin/api/events*', (route) => route.abort())
    await page.reload()
    let readings = 0
    await page.route(`**${BULK}/*`, async (route) => {
      readings++
      if (readings === 1 || readings === 3) return route.fulfill({ status: 404, json: {} })
      if (readings > 3) return route.continue()
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...RUNNING } })
    })

    await cancelAll(page)
    await page.getByText('3 commands cancelled').waitFor()
    expect(readings).toBe(4)
    for (const id of ids) expect(await broker.status(id)).toBe('CANCELLED')
  },
)
