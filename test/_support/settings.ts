/** Reads settings from sources given by the test, without the real environment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, readSettings, type Settings, type Sources } from '../../src/config/read.ts'
import { temporaryDirectory } from './cleanup.ts'

export interface Given extends Sources {
  readonly file?: string
}

export function settingsOf({ flags = {}, env = {}, file }: Given): Settings {
  if (file === undefined) return readSettings({ flags, env })
  const config = join(temporaryDirectory(), 'waybill.yaml')
  writeFileSync(config, file)
  return readSettings({ flags: { ...flags, config }, env })
}

/** Returns the problems of a configuration, one per line. The path of the file is cut to its name. */
export function problemsOf(given: Given): string[] {
  try {
    settingsOf(given)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.replaceAll(/\S*\/(?=waybill\.yaml)/g, '').split('\n')
  }
  return []
}
