/**
 * Long random histories of all commands, several devices concurrently, with restarts, and the check that a server
 * answers like the model.
 */
import fc from 'fast-check'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import type { StoreListener } from '../../src/broker/contract/store-listeners.ts'
import { type Replaced, start } from '../../src/main.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { ADAPTERS } from './adapter.ts'
import { temporaryDirectory, whenDone } from './cleanup.ts'
import { HeldClock } from './clock.ts'
import { type Step, stepsOf } from './model-choices.ts'
import { ModelledDevice } from './model-steps.ts'
import { QueueModel } from './queue-model.ts'
import { type Rest, withToken } from './rest.ts'
import { settingsOf } from './settings.ts'
import { recordingLog } from './trees.ts'

const DEVICES = ['pump', 'lamp', 'door 🚪']
const ENDS = ['SIGTERM', 'SIGKILL'] as const
/** The server continues until the next round. */
const RUNS_ON = 'runs on'
const ATTEMPT_MS = 30_000
const MAX_ATTEMPTS = 2

export interface Round {
  /** Seconds that pass before the steps. */
  readonly pass: number
  /** Steps of each device in order; the devices run concurrently. */
  readonly steps: readonly (readonly Step[])[]
  readonly end: (typeof ENDS)[number] | typeof RUNS_ON
  readonly adapter: string
}

/** Rounds on a held clock. Most rounds follow each other on one server. */
export const timedHistory = historyOf({
  isTimed: true,
  pass: fc.constantFrom(0, 1, 9, 10, 20, 30, 31, 150, 400),
  end: fc.constantFrom(RUNS_ON, RUNS_ON, RUNS_ON, ...ENDS),
  ...{ rounds: 12, maxLength: 14 },
})

/** Rounds in real time, each on a new server. */
export const realHistory = historyOf({
  ...{ isTimed: false, pass: fc.constant(0), end: fc.constantFrom(...ENDS) },
  ...{ rounds: 4, maxLength: 60 },
})

function historyOf(options: {
  readonly isTimed: boolean
  readonly pass: fc.Arbitrary<number>
  readonly end: fc.Arbitrary<Round['end']>
  readonly rounds: number
  readonly maxLength: number
}): fc.Arbitrary<Round[]> {
  const { isTimed, pass, end, rounds, maxLength } = options
  const steps = fc.tuple(...DEVICES.map(() => fc.array(stepsOf(isTimed), { maxLength, size: 'max' })))
  const round = fc.record({ pass, steps, end, adapter: fc.constantFrom(...ADAPTERS) })
  return fc.array(round, { minLength: 1, maxLength: rounds, size: 'max' })
}

/** Limits the search for a shorter failing history, which must end before the test does. */
export const BOUNDED = { interruptAfterTimeLimit: 60_000 }

export interface Started {
  readonly rest: Rest
  /**
   * Makes the timers of deadlines and attempts fire after the current turn, because they do not measure a held clock.
   */
  readonly wake: () => void
  readonly end: (how: (typeof ENDS)[number]) => Promise<unknown>
}

export type StartIn = (dataDir: string, adapter: string, clock: HeldClock) => Promise<Started>

const LAST: Round = { pass: 0, steps: [], end: 'SIGTERM', adapter: 'node' }

/** Runs a history on successive servers on one data directory. At the end it reads everything once more. */
export async function follow(
  rounds: readonly Round[],
  startIn: StartIn,
  clock = new HeldClock(1_800_000_000_000),
): Promise<void> {
  const dataDir = temporaryDirectory()
  const queues = DEVICES.map(() => new QueueModel(() => clock.wallMs(), ATTEMPT_MS, MAX_ATTEMPTS))
  const ids = new Set<number>()
  const devices = queues.map((queue, i) => new ModelledDevice(DEVICES[i] as string, queue, ids))
  let server: Started | null = null
  for (const { pass, steps, end, adapter } of [...rounds, LAST]) {
    const isRunning = server !== null
    server?.wake()
    clock.advance(pass * 1000)
    server ??= await startIn(dataDir, adapter, clock)
    const { rest } = server
    await Promise.all(
      devices.map(async (device, i) => {
        device.connect(rest)
        await device.expire()
        if (!isRunning) await device.lookAtAll()
        for (const step of steps[i] ?? []) await device.perform(step)
      }),
    )
    if (end === RUNS_ON) continue
    await server.end(end)
    server = null
    for (const queue of queues) queue.restarted(end === 'SIGKILL')
  }
}

export type Open = NonNullable<Replaced['open']>

export async function startHere(
  dataDir: string,
  adapter: string,
  clock: HeldClock,
  open: Open = openStorage,
): Promise<Started> {
  const env = {
    APP_SECURITY_PERMIT_ALL: 'true',
    ADMIN_PASSWORD: 'x',
    WAYBILL_DATA_DIR: dataDir,
    WAYBILL_ADAPTER: adapter,
    MQTT_ADDRESS: 'off',
    COMMON_MAX_ATTEMPTS: String(MAX_ATTEMPTS),
  }
  const listeners = new Set<StoreListener>()
  const watched: Open = async (options) => {
    const storage = await open(options)
    return { ...storage, messages: withListeners(storage.messages, listeners) }
  }
  const settings = settingsOf({ flags: { host: '127.0.0.1:0' }, env })
  const running = await start(settings, recordingLog(), { open: watched, clock })
  whenDone(() => running.close(0, 'the end of the test'))
  return {
    rest: withToken(running.url),
    wake() {
      for (const listener of listeners) {
        listener.deadline?.({ is: 'deadline', inMs: 0 })
        listener['attempts-left']?.({ is: 'attempts-left' })
      }
    },
    end: () => running.close(1000, 'a restart'),
  }
}

/** Returns the same store, which adds its listeners to a set. */
function withListeners(messages: MessageStore, listeners: Set<StoreListener>): MessageStore {
  const watch: MessageStore['watch'] = (listener) => {
    listeners.add(listener)
    return messages.watch(listener)
  }
  return new Proxy(messages, {
    get(target, name) {
      if (name === 'watch') return watch
      const member = target[name as keyof MessageStore]
      // A verb that a store does not have stays undefined.
      return typeof member === 'function' ? (member as (...all: never[]) => unknown).bind(target) : member
    },
  })
}
