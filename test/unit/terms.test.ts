/** The terms of a message: contradictions, and the defaults of device and server. */
import { describe, expect, test } from 'vitest'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import type { Guarantee } from '../../src/broker/vocabulary/status.ts'
import { NO_TERMS, type Terms } from '../../src/broker/vocabulary/term-table.ts'
import { checkSettings, checkTerms, withDefaults } from '../../src/broker/vocabulary/terms.ts'

const terms = (given: Partial<Terms>): Terms => ({ ...NO_TERMS, ...given })

describe('contradictions', () => {
  test.each<[Partial<Terms>, Guarantee]>([
    [{ finishSeconds: 5 }, 'NO'],
    [{ delaySeconds: 60, validSeconds: 60 }, 'RECEIPT_CONFIRMATION'],
    [{ delaySeconds: 61, validSeconds: 60 }, 'RECEIPT_CONFIRMATION'],
  ])('%j with %s → bad-terms', (given, guarantee) => {
    expect(() => checkTerms(terms(given), guarantee)).toThrow(expect.objectContaining({ code: 'bad-terms' }))
  })

  test.each<[Partial<Terms>, Guarantee]>([
    [{ finishSeconds: 5 }, 'ONLY_LAST'],
    [{ delaySeconds: 59, validSeconds: 60 }, 'NO'],
    [{ delaySeconds: 60 }, 'NO'],
  ])('%j with %s → accepted', (given, guarantee) => {
    expect(() => checkTerms(terms(given), guarantee)).not.toThrow()
  })

  test('nextAfter COMPLETED without finishSeconds → bad-terms', () => {
    const settings = { ...GENERAL_SETTINGS, nextAfter: 'COMPLETED' as const }
    expect(() => checkSettings(settings)).toThrow(expect.objectContaining({ code: 'bad-terms' }))
    expect(() => checkSettings({ ...settings, finishSeconds: 5 })).not.toThrow()
  })
})

describe('defaults', () => {
  const DEVICE = { validSeconds: 60, finishSeconds: 600 }
  const NOTHING = { validSeconds: null, finishSeconds: null }

  test('nothing limits the message → no terms', () => {
    expect(withDefaults(null, 'NO', NOTHING, 0)).toBeNull()
  })

  test('own terms → before those of the device, and those before the general ones', () => {
    const own = terms({ validSeconds: 5, finishSeconds: 6 })
    expect(withDefaults(own, 'ONLY_LAST', DEVICE, 7)).toEqual(own)
    expect(withDefaults(null, 'ONLY_LAST', DEVICE, 7)).toEqual(terms(DEVICE))
    expect(withDefaults(null, 'ONLY_LAST', NOTHING, 7)).toEqual(terms({ validSeconds: 7 }))
  })

  test('guarantee NO → no default of finishSeconds', () => {
    expect(withDefaults(null, 'NO', DEVICE, 0)).toEqual(terms({ validSeconds: 60 }))
    expect(withDefaults(null, 'NO', { validSeconds: null, finishSeconds: 600 }, 0)).toBeNull()
  })

  test('delayed message → a default validity starts when the delay ends', () => {
    const own = terms({ delaySeconds: 100 })
    expect(withDefaults(own, 'NO', DEVICE, 0)).toEqual(terms({ delaySeconds: 100, validSeconds: 160 }))
    expect(withDefaults(own, 'NO', NOTHING, 7)).toEqual(terms({ delaySeconds: 100, validSeconds: 107 }))
  })
})
