/** The incidents on the page: on the overview, in their lists, one by one, and what a person does about them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { CHROMIUM, visit } from '../_support/browser.ts'
import { countActs } from '../_support/clicks.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { expectQuiet, openPage, signIn } from '../_support/page.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Pixels by which the page is wider than the window. */
const TOO_WIDE = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)'
const LONG_ID = 'д'.repeat(112)

interface Item {
  readonly id: number
  readonly key: string
  readonly state: string
}

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ replaced: { recordingMs: 50 } })
})

async function fail(deviceId: string, command: string, reason = 'valve stuck'): Promise<void> {
  const id = await broker.send(deviceId, { command })
  await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason })
}

async function incidents(query = ''): Promise<readonly Item[]> {
  const { body } = await broker.rest.get(`/admin/api/incidents${query}`)
  return (body as { items: Item[] }).items
}

/** Fails a command on devices, and returns the id of its incident once all are in it. */
async function failOn(command: string, ...deviceIds: readonly string[]): Promise<number> {
  for (const deviceId of deviceIds) await fail(deviceId, command)
  return eventually(async () => {
    const item = (await incidents()).find(({ key }) => key === `FAILED:${command}`)
    expect(item).toMatchObject({ devices: deviceIds.length })
    return (item as Item).id
  })
}

/** Returns the rows of the overview. The disk of the machine that runs the tests may be nearly full. */
const rowsOf = (page: Page) => page.locator('.attention li').filter({ hasNotText: 'The disk is nearly full' })

test.runIf(CHROMIUM)(
  'overview: a cause → one row for its devices, its commands sent again in 2 clicks',
  async () => {
    await failOn('open', 'valve-1', 'valve-2', 'valve-3')
    const opened = await openPage(broker)
    const { page } = opened
    const row = rowsOf(page).filter({ hasText: 'open failed on 3 devices' })
    await row.getByText('valve stuck 3').waitFor()
    await expect.poll(() => rowsOf(page).count()).toBe(1)
    const acts = await countActs(page)
    await row.getByRole('button', { name: 'Send 3 again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3').first().waitFor()
    await dialog.getByRole('button', { name: /Send/ }).click()
    expect((await acts()).clicks).toBe(2)
    await dialog.getByText('3 commands sent again').waitFor()
    expect((await broker.poll('valve-2')).body).toMatchObject([{ command: 'open' }])
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'overview: acknowledged → leaves, undone by the notice; the sentence opens it',
  async () => {
    const id = await failOn('open', 'valve-1', 'valve-2')
    const { page } = await openPage(broker)
    const row = rowsOf(page).filter({ hasText: 'open failed on 2 devices' })
    await row.getByRole('button', { name: 'Acknowledge' }).click()
    await row.getByText('Not open any longer.').waitFor()
    await eventually(async () => expect(await incidents('?state=ACKNOWLEDGED')).toHaveLength(1))
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('valve stuck 2').waitFor()
    await row.getByRole('link', { name: 'open failed on 2 devices' }).click()
    await page.getByRole('heading', { name: 'open failed on 2 devices', level: 1 }).waitFor()
    expect(page.url()).toContain(`#/incidents/${id}`)
  },
)

test.runIf(CHROMIUM)('overview: six incidents → the first five, and a link to all', async () => {
  for (let n = 1; n <= 6; n++) await failOn(`command-${n}`, `lamp-${n}`)
  const { page } = await openPage(broker)
  await page.getByRole('link', { name: /^All incidents \((6|7)\)/ }).waitFor()
  await expect.poll(() => page.locator('.attention li').count()).toBe(5)
  await page.getByRole('link', { name: /^All incidents/ }).click()
  await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'command-6 failed on 1 device' }).waitFor()
})

test.runIf(CHROMIUM)(
  'list: several selected → acknowledged with a note, muted until a date, opened again, resolved',
  async () => {
    const ids = [await failOn('open', 'valve-1'), await failOn('close', 'valve-2')]
    const opened = await openPage(broker, '/incidents')
    const { page } = opened
    const row = (command: string) => page.locator('tbody tr').filter({ hasText: `${command} failed` })
    const bar = page.locator('.selection')
    const choose = async (): Promise<void> => {
      for (const command of ['open', 'close']) await row(command).getByRole('checkbox').check()
    }
    const dialog = page.getByRole('dialog')
    const states = async () => Promise.all(ids.map(async (id) => (await detail(id)).state))

    await choose()
    await bar.getByRole('button', { name: 'Acknowledge' }).click()
    await dialog.getByLabel('Note').fill('the mechanic is on the way')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await row('open').getByText('Acknowledged').waitFor()
    await row('close').getByText('admin: the mechanic is on the way').waitFor()
    expect(await states()).toEqual(['ACKNOWLEDGED', 'ACKNOWLEDGED'])

    await choose()
    await bar.getByRole('button', { name: 'Mute' }).click()
    await dialog.getByRole('button', { name: 'Mute' }).click()
    // The notice of the acknowledgement says the same words, so the states are what is waited for.
    await expect.poll(states).toEqual(['MUTED', 'MUTED'])
    await page.getByRole('link', { name: 'Muted 2' }).click()
    await row('open').getByText('Muted until').waitFor()

    await row('open').getByRole('checkbox').check()
    await bar.getByRole('button', { name: 'Reopen' }).click()
    await expect.poll(() => row('open').count()).toBe(0)
    await expect.poll(states).toEqual(['OPEN', 'MUTED'])

    await row('close').getByRole('checkbox').check()
    await bar.getByRole('button', { name: 'Resolve' }).click()
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    // A resolution needs a note, so nothing was sent.
    expect(await states()).toEqual(['OPEN', 'MUTED'])
    await dialog.getByLabel('Note').fill('valve replaced')
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await states()).toEqual(['OPEN', 'ENDED'])
    await page.getByText('No incident is muted').waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await row('close').waitFor()
    expect(await page.locator('tbody input').count()).toBe(0)
    expectQuiet(opened, broker)
  },
)

async function detail(id: number): Promise<Item> {
  return (await broker.rest.get(`/admin/api/incidents/${id}`)).body as Item
}

test.runIf(CHROMIUM)('list: a change of another person → shown without a reload of the page', async () => {
  const id = await failOn('open', 'valve-1')
  const { page } = await openPage(broker, '/incidents')
  await page.getByRole('link', { name: 'open failed on 1 device' }).waitFor()
  await broker.rest.post('/admin/api/incidents/acknowledge', { ids: [id], note: 'seen by a colleague' })
  await page.getByText('admin: seen by a colleague').waitFor()
  await fail('valve-2', 'open')
  await page.getByRole('link', { name: 'open failed on 2 devices' }).waitFor()
})

test.runIf(CHROMIUM)(
  'list: by keys → g i opens it, j and Enter an incident, e asks for the note',
  async () => {
    await failOn('open', 'valve-1')
    const { page } = await openPage(broker)
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('link', { name: 'open failed on 1 device' }).waitFor()
    await page.keyboard.press('j')
    if ((await incidents()).length > 1) await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByRole('dialog').getByLabel('Note').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'open failed on 1 device', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('incid')
    await page.getByRole('option', { name: 'Incidents' }).click()
    await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
  },
)

test.runIf(CHROMIUM)(
  'incident: reasons with counts, members page by page, history, a note, its devices out of service',
  async () => {
    const devices = Array.from({ length: 60 }, (_, n) => `heater-${String(n).padStart(2, '0')}`)
    const id = await failOn('update', ...devices)
    const opened = await openPage(broker, `/incidents/${id}`)
    const { page } = opened
    await page.getByRole('heading', { name: 'update failed on 60 devices', level: 1 }).waitFor()
    await page.locator('.reasons').getByText('60').waitFor()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await rows.filter({ hasText: 'heater-59' }).waitFor()
    expect(await rows.count()).toBe(60)

    const history = page.locator('.incident-lines')
    await history.getByText('Started').waitFor()
    await page.getByLabel('New note').fill('waiting for the supplier')
    await page.getByRole('button', { name: 'Add note' }).click()
    await history.getByText('waiting for the supplier').waitFor()

    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Take 60 devices out of service' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('bad firmware')
    await dialog.getByRole('button', { name: 'Take 60 devices out of service' }).click()
    await page.getByText('60 devices are out of service').waitFor()
    const { body } = await broker.rest.get('/admin/api/devices/counts?details=true')
    expect(body).toMatchObject({ outOfService: 60 })
    expectQuiet(opened, broker)
  },
)

test.runIf(CHROMIUM)(
  'incident: ended meanwhile → says so; unknown → says so and leads to the list',
  async () => {
    const id = await failOn('open', 'valve-1')
    const { page } = await openPage(broker, `/incidents/${id}`)
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor()
    await broker.rest.post('/admin/api/incidents/resolve', { ids: [id], note: 'done' })
    await page.locator('.badge').getByText('Ended').waitFor()
    expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0)
    await page.goto(`${broker.server.url}/#/incidents/999`)
    await page.getByText('This incident does not exist').waitFor()
    await page.getByRole('link', { name: 'Open the incidents' }).click()
    await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
  },
)

test.runIf(CHROMIUM)('incidents: READER → sees everything, without actions and selection', async () => {
  const dataDir = await withClients(['auditor', 'READER'])
  broker = await BrokerUnderTest.start({ dataDir, replaced: { recordingMs: 50 } })
  const id = await failOn('open', 'valve-1')
  const { page } = await visit(`${broker.server.url}/#/incidents/${id}`)
  await signIn(page, 'auditor', PASSWORD)
  await page.locator('.reasons').getByText('valve stuck').waitFor()
  const ACTIONS = /Acknowledge|Mute|Resolve|Reopen|again|note|Actions/
  for (const place of [`/incidents/${id}`, '/incidents', '/']) {
    await page.goto(`${broker.server.url}/#${place}`)
    await page.getByText('open failed on 1 device').first().waitFor()
    expect([place, await page.locator('main').getByRole('button', { name: ACTIONS }).count()]).toEqual([
      place,
      0,
    ])
    expect(await page.locator('main tbody input').count()).toBe(0)
  }
})

test.runIf(CHROMIUM)(
  'incidents: each kind, in each language → a sentence with its subject and its number',
  async () => {
    const none = {
      ...{ state: 'OPEN', class: 3, startedDate: Date.now(), changedDate: 1, endedDate: null, reopened: 0 },
      ...{ waiting: 0, acknowledged: null, mutedUntilDate: null, mergedInto: null },
    }
    const kinds = [
      [{ kind: 'STORAGE_FAILED' }, 'The storage has failed', 'Хранилище отказало'],
      [{ kind: 'DISK_NEARLY_FULL' }, 'The disk is nearly full', 'Диск почти заполнен'],
      [{ kind: 'CLOCK_BEHIND' }, 'The clock of the server is behind', 'Часы сервера отстают'],
      [
        { kind: 'QUEUES_OPEN' },
        'Devices may fetch the commands of others',
        'Устройства могут получать чужие команды',
      ],
      [
        { kind: 'OUTAGE', of: 'hub', devices: 1_028 },
        '1,028 devices behind hub are away',
        'Не на связи 1 028 устройств за hub',
      ],
      [{ kind: 'AWAY', devices: 12 }, '12 devices are away', 'Не на связи 12 устройств'],
      [{ kind: 'FLAPPING', of: 'v' }, 'v connects again and again', 'v то и дело подключается'],
      [{ kind: 'AWAY', of: 'kiosk' }, 'kiosk is away', 'kiosk не на связи'],
      [
        { kind: 'FAILED', of: 'open', devices: 2 },
        'open failed on 2 devices',
        'open: ошибка на 2 устройствах',
      ],
      [
        { kind: 'PARKED', of: '{id}' },
        '{id} is parked for 1 device',
        '{id}: доставка приостановлена на 1 устройстве',
      ],
      [
        { kind: 'NOT_FINISHED', of: '$&', devices: 21 },
        '$& was not finished in time on 21 devices',
        '$&: не выполнена в срок на 21 устройстве',
      ],
      [
        { kind: 'ADDRESS', of: '2001:db8::/64', messages: 3 },
        '2001:db8::/64 was refused 3 times',
        '2001:db8::/64: 3 отказа во входе',
      ],
      [
        { kind: 'DEVICE', of: 'a', signals: ['PARKED', 'DEVICE_DEAF'] },
        'a acknowledges nothing',
        'a ничего не подтверждает',
      ],
      [
        { kind: 'DEVICE', of: 'b', signals: ['FAILED'] },
        'b fails several commands',
        'b: ошибки нескольких команд',
      ],
      [
        { kind: 'DEVICE', of: 'c', signals: ['ANSWERS_REFUSED'] },
        'Answers of c are refused',
        'Ответы c не приняты',
      ],
      [
        { kind: 'DEVICE', of: 'd', signals: ['QUEUE_NEARLY_FULL'] },
        'The queue of d is nearly full',
        'Очередь d почти заполнена',
      ],
      [
        { kind: 'DEVICE', of: 'e', signals: ['WAITING_LONG'] },
        'Commands for e are pending for long',
        'Команды для e долго ждут',
      ],
      [{ kind: 'DEVICE', of: 'f' }, 'f needs attention', 'f требует внимания'],
    ] as const
    const items = kinds.map(([given, ...sentences], i) => {
      const { of = '', ...incident } = { of: '', ...given }
      const key = of === '' ? given.kind : `${given.kind}:${of}`
      return { ...none, devices: 1, messages: 0, signals: [], ...incident, id: i + 1, key, sentences }
    })
    const { page } = await openPage(broker)
    await page.route('**/admin/api/incidents?*', (route) =>
      route.fulfill({ json: { open: items.length, acknowledged: 0, muted: 0, items } }),
    )
    for (const [language, at] of [
      ['en', 1],
      ['ru', 2],
    ] as const) {
      await page.evaluate(`localStorage.setItem('waybill.locale', '${language}')`)
      await page.goto(`${broker.server.url}/#/incidents`)
      await page.reload()
      await page.locator('tbody tr').first().waitFor()
      const shown = await page.locator('tbody .sentence').allTextContents()
      expect(shown.map((text) => text.replace(/\s/g, ' '))).toEqual(kinds.map((kind) => kind[at]))
    }
  },
)

test.runIf(CHROMIUM)(
  'incidents: an id of 112 characters, 360 pixels, each language → no wider; forced colours → no violation',
  async () => {
    for (const command of ['a', 'b', 'c']) await fail(LONG_ID, command, 'y'.repeat(200))
    const id = await eventually(async () => {
      const item = (await incidents()).find(({ key }) => key === `DEVICE:${LONG_ID}`)
      expect(item).toBeDefined()
      return (item as Item).id
    })
    const { page } = await openPage(broker)
    await page.emulateMedia({ forcedColors: 'active' })
    for (const language of ['en', 'ru']) {
      await page.evaluate(`localStorage.setItem('waybill.locale', '${language}')`)
      for (const width of [360, 1_000]) {
        await page.setViewportSize({ width, height: 740 })
        for (const place of ['/', '/incidents', `/incidents/${id}`]) {
          await page.goto(`${broker.server.url}/#${place}`)
          await page.reload()
          await page.locator('main .sentence').first().waitFor()
          expect([language, place, await page.evaluate(TOO_WIDE)]).toEqual([language, place, 0])
          await page.evaluate(AXE)
          const found = await page.evaluate(
            'axe.run({ rules: { "color-contrast": { enabled: false } } }).then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id, nodes }) => id + nodes[0].html))',
          )
          expect([language, place, found]).toEqual([language, place, []])
        }
      }
    }
  },
)
