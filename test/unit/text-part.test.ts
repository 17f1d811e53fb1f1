/** The forms in which a text may contain a part. */
import { describe, expect, test } from 'vitest'
import { contains, formsOf } from '../../src/broker/vocabulary/text-part.ts'

describe('part of a text', () => {
  test('ASCII letters → in any case', () => {
    expect(formsOf('Pump-2')).toEqual(['pump-2'])
    expect(contains('old PUMP-21', formsOf('pUmP-2'))).toBe(true)
  })

  test('other letters → as typed, in lower case and with a capital', () => {
    expect(formsOf('НАСОС a')).toEqual(['НАСОС a', 'насос a', 'Насос a'])
    for (const text of ['НАСОС', 'насос 7', 'Насосная'])
      expect(contains(text, formsOf('НАСОС')), text).toBe(true)
    expect(contains('наСос', formsOf('НАСОС'))).toBe(false)
    expect(contains('НАСОС', formsOf('насос'))).toBe(false)
  })
})
