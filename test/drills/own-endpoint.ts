/** An endpoint of one's own, beside those of the broker: a group of lamps that a single call switches. */
import { expect } from 'vitest'
import type { Drill } from './_support/drill.ts'

export const OWN_ENDPOINT: Drill = {
  change: 'an endpoint of one’s own',
  name: 'own-endpoint',
  goal: { changed: 0, created: 1 },
  edits: {},
  args: ['--prefix', 'own', '--prefix', '@broker'],
  served: {
    'a call → a command for each lamp': async (server) => {
      const ids = await server.call('POST', '/lamps/on', { lamps: ['lamp-1', 'lamp-2'] })
      expect(ids).toEqual([expect.any(Number), expect.any(Number)])
      const [first] = ids as unknown as number[]
      expect(await server.details(first)).toMatchObject({ deviseId: 'lamp-1', command: 'on' })
      await server.text('POST', '/lamps/on', { lamps: [] }, 400)
    },
  },
}
