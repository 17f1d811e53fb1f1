/** Login storms: what others wait meanwhile; what a token or a credential costs that was seen before. */
import type { Options } from './rounds.ts'
import {
  ADAPTERS,
  ADMIN_PASSWORD,
  type Adapter,
  dataDirectory,
  logIn,
  type Server,
  startWaybill,
} from './server.ts'
import { atMost, median, printTable } from './table.ts'
import { measure } from './wrk.ts'

const WRONG = 48
const WANTED_WAIT_MS = 500
/** A signature check is 7 µs, bcrypt 60 ms: these tell them from a look-up. */
const WANTED_TOKEN_MICROS = 4
const WANTED_CREDENTIAL_MS = 10

export async function logins({ runs, seconds }: Options): Promise<void> {
  const rows: string[][] = []
  for (const adapter of ADAPTERS) {
    const waits: number[] = []
    const tokens: number[] = []
    const credentials: number[] = []
    for (let run = 0; run < runs; run++) {
      // A new one each time: failures are counted, credentials remembered.
      const server = await startWaybill({ adapter, dataDir: dataDirectory() })
      try {
        const token = await logIn(server.url)
        for (let again = 0; again < 5; again++) credentials.push(await timed(() => logIn(server.url)))
        tokens.push(await tokenMicros(server, token, seconds))
        waits.push(await longestWait(server, token))
      } finally {
        await server.stop()
      }
    }
    rows.push(...results(adapter, waits, tokens, credentials))
  }
  printTable('Logins', ['what', 'measured'], rows)
}

function results(
  adapter: Adapter,
  waits: readonly number[],
  tokens: readonly number[],
  credentials: readonly number[],
): string[][] {
  return [
    [
      `longest wait of others during ${WRONG} wrong logins, ms (${adapter})`,
      atMost(median(waits), WANTED_WAIT_MS, 0),
    ],
    [
      `login with a credential seen before, ms (${adapter})`,
      atMost(median(credentials), WANTED_CREDENTIAL_MS, 1),
    ],
    [
      `token seen before: CPU beyond a public path, µs (${adapter})`,
      atMost(median(tokens), WANTED_TOKEN_MICROS, 1),
    ],
  ]
}

async function tokenMicros(server: Server, token: string, seconds: number): Promise<number> {
  const load = { connections: 64, seconds }
  const headers = { authorization: `Bearer ${token}` }
  await measure(server, { ...load, path: '/auth/me', headers, seconds: 2 })
  const open = await measure(server, { ...load, path: '/' })
  const guarded = await measure(server, { ...load, path: '/auth/me', headers })
  return guarded.cpuMicros - open.cpuMicros
}

/** Asks for something else, again and again, until the last of the wrong logins is answered. */
async function longestWait({ url }: Server, token: string): Promise<number> {
  let storming = true
  const storm = Promise.all(Array.from({ length: WRONG }, (_, i) => logInWrongly(url, `nobody-${i}`)))
  void storm.finally(() => {
    storming = false
  })
  let longest = 0
  while (storming) {
    const took = await timed(async () => {
      const { status } = await fetch(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
      if (status !== 200) throw new Error(`/auth/me answered ${status}`)
    })
    longest = Math.max(longest, took)
  }
  await storm
  return longest
}

async function logInWrongly(url: string, deviseId: string): Promise<void> {
  const { status } = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deviseId, password: `not ${ADMIN_PASSWORD}` }),
  })
  if (status !== 401) throw new Error(`a wrong login was answered ${status}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
