/** The page: the log of a device in words. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM } from '../_support/browser.ts'
import { expectQuiet, openPage } from '../_support/page.ts'

test.runIf(CHROMIUM)('device page: pauses, service and notes → a row for each, with its facts', async () => {
  const broker = await BrokerUnderTest.start()
  const device = '/admin/api/devices/pump'
  await broker.rest.post('/consumer/request/pump', { busySeconds: 90 })
  await broker.rest.post(`${device}/notes`, { text: 'a new valve is ordered' })
  await broker.rest.put(`${device}/service`, {
    reason: 'the valve is replaced',
    untilDate: Date.now() + 60_000,
  })
  const opened = await openPage(broker, '/devices/pump')
  const rows = opened.page.locator('.device-log tbody tr')
  const row = (kind: string) => rows.filter({ has: opened.page.getByText(kind, { exact: true }) })
  await row('Out of service').waitFor()
  const texts = await rows.allInnerTexts()
  const shown = texts.map((text) =>
    text
      .split(/\s*[\n\t]\s*/)
      .slice(1)
      .join(' | '),
  )
  expect(shown).toEqual([
    expect.stringMatching(/^Out of service \| the valve is replaced \| 127\.0\.0\.1, admin \| until \S/),
    'Note | 127.0.0.1, admin | a new valve is ordered',
    'Busy | for 1 min 30 sec',
    'Server | STARTED | ',
  ])
  expectQuiet(opened, broker)
})
