/** Server of a changed project, as its users reach it: over HTTP, and by the command line. */
import { expect } from 'vitest'
import { temporaryDirectory } from '../../_support/cleanup.ts'
import { ADMIN_PASSWORD } from '../../_support/clients.ts'
import { LOCAL, runCommand, type ServerProcess, startServer } from '../../_support/server.ts'
import type { ProjectCopy } from './project-copy.ts'

type Members = Record<string, unknown>

export class DrilledServer {
  readonly copy: ProjectCopy
  readonly process: ServerProcess
  readonly #token: string

  private constructor(copy: ProjectCopy, process: ServerProcess, token: string) {
    this.copy = copy
    this.process = process
    this.#token = token
  }

  /** Starts a server in a directory, a new one by default. */
  static async start(
    copy: ProjectCopy,
    args: readonly string[],
    dataDir = temporaryDirectory(),
  ): Promise<DrilledServer> {
    const { program, directory } = copy
    const process = await startServer({
      ...{ program, cwd: directory, dataDir, args: [...LOCAL, ...args] },
      env: { ADMIN_PASSWORD },
    })
    const login = { deviseId: 'admin', password: ADMIN_PASSWORD }
    const { accessToken } = await new DrilledServer(copy, process, '').call('POST', '/auth/login', login)
    return new DrilledServer(copy, process, String(accessToken))
  }

  /** Calls a path. Returns the JSON of its answer. */
  async call<T = Members>(method: string, path: string, body?: object, status = 200): Promise<T> {
    return JSON.parse(await this.text(method, path, body, status))
  }

  async text(method: string, path: string, body?: object, status = 200): Promise<string> {
    const headers = new Headers({ 'content-type': 'application/json' })
    if (this.#token !== '') headers.set('authorization', `Bearer ${this.#token}`)
    const response = await fetch(this.process.url + path, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, text).toBe(status)
    return text
  }

  /** Runs a command that prints JSON. */
  async cli(...args: string[]): Promise<Members> {
    return JSON.parse(await this.printed(...args, '--json'))
  }

  /** Runs a command. Returns what it prints. */
  async printed(...args: string[]): Promise<string> {
    const { program, directory } = this.copy
    const remote = ['--url', this.process.url, '--user', 'admin']
    const env = { WAYBILL_PASSWORD: ADMIN_PASSWORD }
    const ended = await runCommand({ program, cwd: directory, args: [...args, ...remote], env })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return ended.stdout
  }

  /** Sends a command to a device. */
  send(deviceId: string, message: object, status = 200): Promise<Members> {
    return this.call('PUT', `/producer/request/${deviceId}`, message, status)
  }

  /** Returns a message with its details. */
  details(id: unknown): Promise<Members> {
    return this.call('GET', `/admin/api/messages/${id}?details=true`)
  }

  report(deviceId: string, report: object): Promise<Members> {
    return this.call('POST', `/consumer/request/${deviceId}`, report)
  }
}
