/** Environment variables that look like settings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unknownVariables } from '../../src/config/unknown-variables.ts'
import { settingsOf } from '../_support/settings.ts'

test('misspelt variable → found, with the name that was meant', () => {
  const env = {
    WAYBILL_DATADIR: '/data',
    WAYBILL_HISTORY_DAY: '3',
    WAYBILL_COLOUR_OF_THE_SKY: 'blue',
    WAYBILL_LOG_LEVEL: 'info',
    OTHER: 'x',
  }
  expect(settingsOf({ env }).unknownVariables).toEqual([
    { name: 'WAYBILL_COLOUR_OF_THE_SKY', nearest: null },
    { name: 'WAYBILL_DATADIR', nearest: 'WAYBILL_DATA_DIR' },
    { name: 'WAYBILL_HISTORY_DAY', nearest: 'WAYBILL_HISTORY_DAYS' },
  ])
})

test('each variable that the code names → known', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  const names = sources.flatMap(
    (path) => readFileSync(join('src', path), 'utf8').match(/\bWAYBILL_[A-Z_]+\b/g) ?? [],
  )
  expect(names.length).toBeGreaterThan(20)
  expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
})
