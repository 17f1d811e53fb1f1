/** Runs the broker of mosquitto as a bridge to Waybill, where it is installed. */
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, whenDone } from './cleanup.ts'
import { unusedUrl } from './server.ts'

export const hasMosquittoBroker = ((): boolean => {
  try {
    execFileSync('mosquitto', ['-h'], { stdio: 'ignore' })
    return true
  } catch (error) {
    // -h ends with 3.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
})()
if (!hasMosquittoBroker) console.warn('the broker mosquitto is not installed: its tests are left out')

/** Part of the line that the broker logs when it listens. */
const RUNNING = ' running'

/**
 * Starts a broker that is a bridge.
 *
 * @param bridge lines of its configuration below `connection`
 * @returns its port, once it listens. It tries to connect the bridge once a second
 */
export async function mosquittoBridge(bridge: readonly string[]): Promise<number> {
  const directory = temporaryDirectory()
  const port = Number(new URL(await unusedUrl()).port)
  const file = join(directory, 'mosquitto.conf')
  const queue = ['max_queued_messages 0']
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    ...queue,
    'connection waybill',
    'restart_timeout 1',
    ...bridge,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn('mosquitto', ['-v', '-c', file], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  whenDone(() => child.kill('SIGKILL'))
  let out = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (out.includes(RUNNING)) return
        out += text
        if (out.includes(RUNNING)) resolve()
      })
    }
    child.once('error', reject)
    child.once('close', () => reject(new Error(`mosquitto ended:\n${out}`)))
  })
  return port
}
