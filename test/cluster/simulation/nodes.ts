/** Starts the nodes of a simulation as processes, and ends them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The admin of the simulated nodes. Its token is the password of every device. */
export const ADMIN = { id: 'admin', password: 'simulation' }
const JWT_SECRET = 'only-for-simulations-0123456789abcdef'

export interface SimulationNode {
  readonly pid: number
  readonly url: string
  readonly mqttPort: number
  end(): Promise<unknown>
}

/** Starts a node. @param program arguments of node that start waybill @param args arguments that name the store */
export async function startNode(
  program: readonly string[],
  args: readonly string[],
): Promise<SimulationNode> {
  const local = ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0']
  const child = spawn(process.execPath, [...program, ...local, ...args], {
    env: {
      ...process.env,
      ADMIN_PASSWORD: ADMIN.password,
      JWT_SECRET,
      MQTT_MAX_CONNECTIONS: '200000',
      WAYBILL_LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { http, mqtt } = await addressesOf(child)
  return {
    pid: child.pid ?? 0,
    url: http,
    mqttPort: Number(new URL(mqtt).port),
    end: () => {
      child.kill('SIGTERM')
      return once(child, 'exit')
    },
  }
}

/** Reads the log until it has named both listeners. The later lines are read and dropped, so that the pipe never fills. */
function addressesOf(child: ChildProcess): Promise<{ http: string; mqtt: string }> {
  return new Promise((resolve, reject) => {
    const found = { http: '', mqtt: '' }
    let output = ''
    child.once('exit', (code) => reject(new Error(`The node ended with code ${code}:\n${output}`)))
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (found.http !== '' && found.mqtt !== '') return
      output += `${text}\n`
      const line = parse(text)
      if (typeof line.http === 'string') found.http = line.http
      if (typeof line.mqtt === 'string') found.mqtt = line.mqtt
      if (found.http !== '' && found.mqtt !== '') resolve(found)
    })
  })
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
