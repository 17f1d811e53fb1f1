/** Tests the end of a streamed answer whose reader does not read. */
import { expect, test } from 'vitest'
import { HeldStream } from '../../src/web/held-stream.ts'

test('streamed answer: access ends while its reader reads nothing → the source is closed at once', async () => {
  let isClosed = false
  let mayRead = true
  let end = (): void => {}
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: 'event' }),
      return: async () => {
        isClosed = true
        return { done: true as const, value: undefined }
      },
    }),
  }
  const hold = (ended: () => void) => {
    end = ended
    return { holds: () => mayRead, release() {} }
  }
  const stream = new HeldStream(source, hold, true)
  expect(await stream.next()).toEqual({ done: false, value: 'event' })
  mayRead = false
  end()
  expect(isClosed).toBe(true)
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})
