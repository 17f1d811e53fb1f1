/** A process with many simulated devices. Its parent sends the assignment, and receives the counts once a second. */
import { setTimeout as pause } from 'node:timers/promises'
import { DeviceCounts, reportOf } from './device-counts.ts'
import { LightDevice } from './light-device.ts'

export interface Assignment {
  /** Numbers of the devices: from `first` to below `end`. */
  readonly first: number
  readonly end: number
  readonly localAddress: string
  /** MQTT ports of the nodes. Device n uses the node n modulo their number. */
  readonly ports: readonly number[]
  readonly username: string
  readonly token: string
  /** New connections in a second. */
  readonly perSecond: number
}

const BATCH_MS = 20
const REPORT_MS = 1_000
/** Time after which a device whose connection was refused or timed out connects again. */
const RETRY_MS = 3_000

process.once('message', (assignment) => void run(assignment as Assignment))
process.once('disconnect', () => process.exit())

async function run({
  first,
  end,
  localAddress,
  ports,
  username,
  token,
  perSecond,
}: Assignment): Promise<void> {
  const counts = new DeviceCounts()
  setInterval(() => process.send?.(reportOf(counts)), REPORT_MS)
  const batch = Math.max(1, Math.round((perSecond * BATCH_MS) / 1000))
  const connect = (number: number): void => {
    const port = ports[number % ports.length] as number
    const id = `sim-${number}`
    const device = new LightDevice({ id, localAddress, port, username, password: token, counts })
    void device.ready.then((isReady) => {
      if (isReady) counts.connected++
      else {
        counts.refused++
        setTimeout(connect, RETRY_MS, number)
      }
    })
  }
  for (let number = first; number < end; number++) {
    connect(number)
    if ((number - first) % batch === batch - 1) await pause(BATCH_MS)
  }
}
