/** Drives Debian's chromium. Where it is not installed, one line says so. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { whenDone } from './cleanup.ts'
import { WAIT_MS } from './limits.ts'

const PATHS = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const CHROMIUM = PATHS.find((path) => path !== undefined && existsSync(path))

if (CHROMIUM === undefined) {
  if (process.env.CI) throw new Error('No chromium: the browser suite cannot run. apt-get install chromium')
  process.stderr.write('The browser suite is left out: there is no chromium here.\n')
}

export interface Visit {
  readonly page: Page
  /** Every URL that the page requested. */
  readonly requests: readonly string[]
  /** Errors of the page: scripts that threw, and requests that its security policy refused. */
  readonly complaints: readonly string[]
}

/** One browser for all files of a worker, because starting it takes a second. It ends with the worker. */
let browser: Promise<Browser> | null = null

function launch(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: CHROMIUM as string,
    // The sandbox of chromium needs rights that a container does not give.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'],
  })
  return browser
}

/** Opens a page in a separate browser context, which is closed after the test. */
export async function visit(url: string): Promise<Visit> {
  const context = await (await launch()).newContext()
  whenDone(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(url)
  return { page, requests, complaints }
}
