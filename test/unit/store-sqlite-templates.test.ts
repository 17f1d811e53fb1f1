/** Message templates in SQLite. */
import { expect, test } from 'vitest'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { openIn } from '../_support/store.ts'

test('template: terms are given or null → returned as stored, also in the list', async () => {
  const storage = openIn(temporaryDirectory())
  whenDone(() => storage.close())
  const client = {
    passwordHash: 'x',
    role: 'DEVISE',
    description: '',
    devices: [],
    ownQueueOnly: null,
    changedAtMs: 1,
  } as const
  const { id: clientId } = await storage.clients.add({ ...client, deviceId: 'pump' })
  const template = { clientId, description: '', command: 'on', guarantee: 'ONLY_LAST', data: '{}' } as const
  const limited = { ...template, validSeconds: 60, finishSeconds: 600, maxAttempts: 3 }
  const plain = { ...template, validSeconds: null, finishSeconds: null, maxAttempts: null }

  expect([await storage.templates.add(limited), await storage.templates.add(plain)]).toEqual([1, 2])

  const stored = { ...limited, id: 1, deviceId: 'pump' }
  expect(await storage.templates.get(1)).toEqual(stored)
  expect(await storage.templates.list({})).toEqual([{ ...plain, id: 2, deviceId: 'pump' }, stored])
})
