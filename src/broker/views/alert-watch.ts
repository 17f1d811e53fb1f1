/** Notifies listeners of alerts that began, changed or ended. Reads the alerts only while there are listeners. */
import type { Log } from '../../process/log.ts'
import { startPeriodic } from '../engine/periodic.ts'
import { levelOf } from '../vocabulary/errors.ts'
import type { AlertList, ListedAlert } from './alert-list.ts'

const PERIOD_MS = 2_000

export interface AlertChange {
  readonly key: string
  readonly kind: ListedAlert['kind']
  readonly deviceId: string | null
  readonly state: 'OPEN' | 'ACKNOWLEDGED' | 'ENDED'
  /** Number of messages or logins; null for an alert without a number. */
  readonly count: number | null
  /** Number of all open alerts after the change. */
  readonly open: number
}

type Listener = (change: AlertChange) => void

export interface AlertWatchOptions {
  readonly alerts: Pick<AlertList, 'present' | 'onAcknowledge'>
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number
}

export class AlertWatch {
  readonly #options: AlertWatchOptions
  readonly #listeners = new Set<Listener>()
  /** Alerts of the latest reading by key; empty before the first. */
  #present: ReadonlyMap<string, ListedAlert> = new Map()
  #reading: Promise<void> = Promise.resolve()
  #stop: () => void = () => {}

  constructor(options: AlertWatchOptions) {
    this.#options = options
  }

  /**
   * Calls the listener with each later change. The first listener also receives all current alerts, because an alert
   * may have begun before the first reading. Returns a function that unsubscribes.
   */
  onChange(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Reads the alerts, after a running reading. Never rejects. */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read())
    return this.#reading
  }

  #start(): void {
    const { alerts, periodMs = PERIOD_MS } = this.#options
    const endPeriod = startPeriodic(() => this.read(), periodMs, { atOnce: true })
    const unsubscribe = alerts.onAcknowledge(() => void this.read())
    this.#stop = () => {
      void endPeriod()
      unsubscribe()
      this.#present = new Map()
    }
  }

  async #read(): Promise<void> {
    if (this.#listeners.size === 0) return
    try {
      const found = new Map((await this.#options.alerts.present()).map((alert) => [alert.key, alert]))
      if (this.#listeners.size === 0) return
      this.#report(this.#present, found)
      this.#present = found
    } catch (error) {
      this.#options.log[levelOf(error, 'warn')]({ err: error }, 'the alerts could not be read')
    }
  }

  #report(before: ReadonlyMap<string, ListedAlert>, found: ReadonlyMap<string, ListedAlert>): void {
    const open = [...found.values()].filter(({ acknowledged }) => acknowledged === null).length
    const notify = ({ key, kind, deviceId, count }: ListedAlert, state: AlertChange['state']): void => {
      for (const listener of this.#listeners) listener({ key, kind, deviceId, state, count, open })
    }
    for (const [key, alert] of before) if (!found.has(key)) notify(alert, 'ENDED')
    for (const [key, alert] of found) {
      if (signatureOf(before.get(key)) !== signatureOf(alert)) notify(alert, stateOf(alert))
    }
  }
}

const stateOf = ({ acknowledged }: ListedAlert): 'OPEN' | 'ACKNOWLEDGED' =>
  acknowledged === null ? 'OPEN' : 'ACKNOWLEDGED'

/** Returns a text that differs after a change of an alert. A growing duration is no change. */
function signatureOf(alert: ListedAlert | undefined): string {
  return alert ? JSON.stringify([stateOf(alert), alert.count, alert.messageId, alert.lastMs]) : ''
}
