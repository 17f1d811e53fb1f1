/** Lists the current settings for operators: each with its origin, and without secrets. */
import { isDeepStrictEqual } from 'node:util'
import { type MeaningLanguage, RUSSIAN_MEANINGS } from './meanings.ts'
import type { Origin, Settings } from './settings.ts'
import { defaultInWords, SETTINGS } from './table.ts'

export interface PublicSetting {
  readonly name: string
  readonly env: string | null
  readonly flag: string | null
  /** Null for a secret. */
  readonly value: unknown
  readonly secret: boolean
  readonly origin: Origin
  /** Default in words. */
  readonly default: string
  /** True if the value equals the default, whatever source set it. Null for a secret. */
  readonly isDefault: boolean | null
  readonly unit: string | null
  readonly meaning: string
}

/** @param language language of the meanings */
export function publicSettings(settings: Settings, language: MeaningLanguage = 'en'): PublicSetting[] {
  return SETTINGS.map((setting) => ({
    name: setting.key,
    env: setting.env ?? null,
    flag: setting.flag ?? null,
    value: setting.secret ? null : settings[setting.name],
    secret: setting.secret ?? false,
    origin: settings.origins[setting.name],
    default: defaultInWords(setting),
    isDefault: setting.secret ? null : isDeepStrictEqual(settings[setting.name], setting.default),
    unit: setting.unit ?? null,
    meaning: (language === 'ru' ? RUSSIAN_MEANINGS[setting.key] : undefined) ?? setting.meaning,
  }))
}
