/** Reports on the server for operators: version, addresses, settings, disk space. */
import type { DiskSpace, StoreStats } from '../broker/contract/store-stats.ts'
import type { MeaningLanguage } from '../config/meanings.ts'
import { type PublicSetting, publicSettings } from '../config/public-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ProcessFigures } from './process-figures.ts'

export interface System {
  readonly version: string
  readonly nodeVersion: string
  readonly adapter: Settings['adapter']
  readonly startedAtMs: number
  readonly atMs: number
  readonly urls: readonly string[]
  readonly settings: readonly PublicSetting[]
  readonly space: DiskSpace
  /** Time when the disk failed, in milliseconds since 1970; null for a working disk. */
  readonly failedAtMs: number | null
  readonly messagesAtMost: number
  readonly waiting: number
  readonly clients: number
  readonly templates: number
  /** Load of the process since the last report. */
  readonly process: ProcessFigures
}

export interface SystemOptions {
  readonly version: string
  readonly settings: Settings
  readonly urls: () => readonly string[]
  readonly store: Pick<StoreStats, 'space' | 'counts' | 'pending' | 'failedAtMs'>
  readonly clients: () => number
  readonly figures: () => ProcessFigures
}

/** Creates a function that reports the state at the time of its call, with the meanings of the settings in a language. */
export function systemOf({
  version,
  settings,
  urls,
  store,
  clients,
  figures,
}: SystemOptions): (language: MeaningLanguage) => Promise<System> {
  return async (language) => {
    const [space, counts] = await Promise.all([store.space(), store.counts()])
    return {
      version,
      nodeVersion: process.version,
      adapter: settings.adapter,
      startedAtMs: Math.round(performance.timeOrigin),
      atMs: Date.now(),
      urls: urls(),
      settings: publicSettings(settings, language),
      space,
      failedAtMs: store.failedAtMs,
      ...counts,
      waiting: await store.pending(),
      clients: clients(),
      process: figures(),
    }
  }
}
