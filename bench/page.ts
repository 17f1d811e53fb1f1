/** Measures the admin page in chromium: time to the sign-in, long tasks, layout shift and memory, each against its limit. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { NO_QUEUE_LIMIT } from './enqueue.ts'
import type { Options } from './rounds.ts'
import { ADMIN_PASSWORD, dataDirectory, logIn, type Server, startWaybill } from './server.ts'
import { atMost, median, printTable } from './table.ts'

/** Time until the sign-in is visible, in milliseconds. */
const SIGN_IN_MS = 1_500
/** A line of 1.6 Mbit/s with 150 ms until the first byte. */
const SLOW_LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const LAYOUT_SHIFT = 0.05
/** Time in which a screen has all its parts, in milliseconds. */
const SETTLE_MS = 2_000
/** Growth of the heap of JavaScript from that after ten minutes to that after eight hours. */
const HEAP_GROWTH = 1.3
/** Messages in ten minutes and in eight hours, at two a second. */
const EARLY_MESSAGES = 1_200
const LATE_MESSAGES = 57_600
/** Messages a second during the search for long tasks. */
const RATE = 70
const ROWS = 500
const SCREENS = [
  '/',
  '/devices',
  '/devices/d1',
  '/messages',
  '/messages/1',
  '/templates',
  '/connections',
  '/access/people',
  '/access/devices',
  '/system',
  '/system/settings',
  '/system/audit',
  '/api',
]
const WIDTHS = [1_440, 360]
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export async function page({ runs, seconds }: Options): Promise<void> {
  const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path))
  if (executablePath === undefined) return console.log('\nNo chromium here, so the page is not measured.')
  const server = await startWaybill({ adapter: 'node', dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  try {
    const producer = new Producer(server, await logIn(server.url))
    await producer.send(ROWS)
    const rows = [
      await signIn(browser, server, runs),
      ...(await longTasks(browser, server, producer, seconds * 15)),
      ...(await layoutShifts(browser, server)),
      await heap(browser, server, producer),
    ]
    printTable('The admin page in chromium', ['what', 'measured'], rows)
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** Sends commands, eight at a time. */
class Producer {
  readonly #server: Server
  readonly #authorization: string
  #sent = 0

  constructor(server: Server, token: string) {
    this.#server = server
    this.#authorization = `Bearer ${token}`
  }

  async send(messages: number): Promise<void> {
    const until = this.#sent + messages
    const lane = async (): Promise<void> => {
      while (this.#sent < until) await this.#one(this.#sent++)
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  }

  /** Sends {@link RATE} commands a second for a time. */
  async sendFor(seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1000
    for (let nextMs = performance.now(); nextMs < endMs; nextMs += 1000 / RATE) {
      await new Promise((resolve) => setTimeout(resolve, nextMs - performance.now()))
      await this.#one(this.#sent++)
    }
  }

  async #one(n: number): Promise<void> {
    const response = await fetch(`${this.#server.url}/producer/request/d${n % 100}`, {
      method: 'PUT',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'set-speed', data: { speed: n } }),
    })
    if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
}

/** Opens a screen signed in, with an observer that runs before the scripts of the page. */
async function open(browser: Browser, { url }: Server, place: string, width = 1_440, observer = '') {
  const context = await browser.newContext({ viewport: { width, height: 900 } })
  await context.addInitScript(observer)
  const opened = await context.newPage()
  await opened.goto(`${url}/#${place}`)
  await opened.locator('input').first().fill('admin')
  await opened.locator('input[type=password]').fill(ADMIN_PASSWORD)
  await opened.keyboard.press('Enter')
  await opened.locator('main').waitFor()
  return { context, page: opened }
}

async function signIn(browser: Browser, { url }: Server, runs: number): Promise<string[]> {
  const times: number[] = []
  for (let run = 0; run < Math.max(5, runs); run++) {
    const context = await browser.newContext()
    const opened = await context.newPage()
    const devTools = await context.newCDPSession(opened)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', SLOW_LINE)
    const begunMs = performance.now()
    await opened.goto(url, { waitUntil: 'commit' })
    await opened.locator('input[type=password]').waitFor()
    times.push(performance.now() - begunMs)
    await context.close()
  }
  return ['sign-in visible at 1.6 Mbit/s, ms', atMost(median(times), SIGN_IN_MS, 0)]
}

const OBSERVE_TASKS = `
  globalThis.tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true })
`

async function longTasks(
  browser: Browser,
  server: Server,
  producer: Producer,
  seconds: number,
): Promise<string[][]> {
  const rows: string[][] = []
  const states: Record<string, (page: Page) => Promise<void>> = {
    'at most 100 rows, followed': async () => {},
    '500 rows under the pointer': showRows,
    '500 rows, paused': async (page) => {
      await showRows(page)
      await page.getByRole('button', { name: 'Pause' }).click()
    },
    '500 rows, 50 selected': async (page) => {
      await showRows(page)
      for (const box of (await page.locator('tbody input[type=checkbox]').all()).slice(0, 50))
        await box.check()
    },
  }
  for (const [state, enter] of Object.entries(states)) {
    const { context, page } = await open(browser, server, '/messages', 1_440, OBSERVE_TASKS)
    await page.locator('tbody tr').first().waitFor()
    await enter(page)
    await page.evaluate('tasks.length = 0')
    await producer.sendFor(seconds)
    const tasks = await page.evaluate<number[]>('tasks')
    await context.close()
    const longest = tasks.length === 0 ? '' : `, the longest ${Math.max(...tasks)} ms`
    rows.push([
      `long tasks in ${seconds} s at ${RATE} messages/s, ${state}`,
      atMost(tasks.length, 0, 0) + longest,
    ])
  }
  return rows
}

/** Shows older messages until the list has enough rows. */
async function showRows(page: Page): Promise<void> {
  const rows = page.locator('tbody tr')
  for (let shown = await rows.count(); shown < ROWS; shown = await rows.count()) {
    await page.getByRole('button', { name: 'Show more' }).click()
    await rows.nth(shown).waitFor()
  }
}

const OBSERVE_SHIFTS = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
`

/** Rows that come while a list is followed move the ones below on purpose, so nothing is sent meanwhile. */
async function layoutShifts(browser: Browser, server: Server): Promise<string[][]> {
  const rows: string[][] = []
  for (const width of WIDTHS) {
    for (const place of SCREENS) {
      const { context, page } = await open(browser, server, place, width, OBSERVE_SHIFTS)
      // The screen is loaded once more with its session, as a user does who follows a link.
      await page.reload()
      await page.waitForTimeout(SETTLE_MS)
      const shift = await page.evaluate<number>('shift')
      await context.close()
      rows.push([`layout shift, ${width} px, ${place}`, atMost(shift, LAYOUT_SHIFT, 3)])
    }
  }
  return rows
}

/** Compares the heap after eight hours' messages with that after ten minutes', both sent as fast as the server takes them. */
async function heap(browser: Browser, server: Server, producer: Producer): Promise<string[]> {
  const { context, page } = await open(browser, server, '/messages')
  await producer.send(EARLY_MESSAGES)
  const early = await heapBytes(context, page)
  await producer.send(LATE_MESSAGES - EARLY_MESSAGES)
  const late = await heapBytes(context, page)
  await context.close()
  const sizes = `${(early / 1e6).toFixed(1)} MB to ${(late / 1e6).toFixed(1)} MB`
  return [`heap after ${LATE_MESSAGES} messages, ${sizes}`, atMost(late / early, HEAP_GROWTH)]
}

async function heapBytes(context: BrowserContext, page: Page): Promise<number> {
  const devTools = await context.newCDPSession(page)
  await devTools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devTools.send('Runtime.getHeapUsage')
  return usedSize
}
