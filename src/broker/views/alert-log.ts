/**
 * Logs the beginning and the end of alerts, for operators who do not watch the overview. Reads the alerts once a
 * minute.
 */
import type { Log } from '../../process/log.ts'
import { startPeriodic } from '../engine/periodic.ts'
import type { Alert } from './alerts.ts'

const PERIOD_MS = 60_000

export interface AlertLogOptions {
  readonly find: () => Promise<readonly Alert[]>
  /** Kinds whose beginning was logged before the first reading. */
  readonly begun?: readonly Alert['kind'][]
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** Reads the alerts every minute. Returns a function that stops this; it resolves when the current reading is over. */
export function startAlertLog(options: AlertLogOptions): () => Promise<void> {
  const alerts = new AlertLog(options)
  return startPeriodic(() => alerts.read(), PERIOD_MS, { atOnce: false })
}

export class AlertLog {
  readonly #options: AlertLogOptions
  #present = new Map<string, Alert>()
  #hasFailed = false
  #begun: readonly Alert['kind'][]

  constructor(options: AlertLogOptions) {
    this.#options = options
    this.#begun = options.begun ?? []
  }

  /** Reads the alerts once. Never rejects: after an error the next reading follows in a minute. */
  async read(): Promise<void> {
    const { find, log } = this.#options
    try {
      const found = new Map((await find()).map((alert) => [keyOf(alert), alert]))
      for (const [key, { kind, deviceId, value }] of found) {
        if (!this.#present.has(key) && !this.#begun.includes(kind))
          log.warn({ kind, deviceId, value }, `alert ${kind} begins`)
      }
      for (const [key, { kind, deviceId, value }] of this.#present) {
        if (!found.has(key)) log.info({ kind, deviceId, value }, `alert ${kind} ends`)
      }
      this.#present = found
      this.#hasFailed = false
      this.#begun = []
    } catch (error) {
      if (!this.#hasFailed)
        log.error({ err: error }, 'the alerts could not be read; the next try is in a minute')
      this.#hasFailed = true
    }
  }
}

/** Returns a key that stays the same while an alert lasts. PARKED and NOT_FINISHED have one alert for all messages. */
function keyOf({ kind, deviceId, messageId, address, unit }: Alert): string {
  if (kind === 'PARKED' || kind === 'NOT_FINISHED') return kind
  return JSON.stringify([kind, deviceId, kind === 'FAILED' ? messageId : null, address, unit])
}
