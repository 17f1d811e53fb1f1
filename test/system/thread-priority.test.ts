/** Threads that search run at a lower priority than the event loop. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, withClients } from '../_support/clients.ts'
import { startServer } from '../_support/server.ts'

/** Returns the nice values of the threads of a process, the main thread first. proc(5): field 19 of `stat`. */
function niceValues(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}

test.runIf(process.platform === 'linux')(
  'search: its thread has a lower priority than the event loop',
  async () => {
    const { pid, url } = await startServer({ dataDir: await withClients() })
    expect(new Set(niceValues(pid))).toEqual(new Set([0]))
    const login = JSON.stringify({ deviseId: 'admin', password: ADMIN_PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/auth/login`, { method: 'POST', headers, body: login })
    const { accessToken } = (await answer.json()) as { accessToken: string }
    const authorization = `Bearer ${accessToken}`
    const list = await fetch(`${url}/admin/api/messages?text=never`, { headers: { authorization } })
    expect(list.status).toBe(200)
    const [main, ...others] = niceValues(pid)
    expect(main).toBe(0)
    expect(others.filter((nice) => nice > 0)).toHaveLength(1)
  },
)
