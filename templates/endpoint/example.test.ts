import { expect, test } from 'vitest'
import { Default } from './example.ts'

test('GET with a name → a greeting', () => {
  expect(new Default({}).GET({ name: 'Ada' })).toBe('Hello Ada')
})
