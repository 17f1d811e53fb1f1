/** Changes of access and dispatches to waits, in 1,000 orders, over a store whose calls take turns of promises. The clock is held. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AccessControl } from '../../src/auth/access.ts'
import { type ClientChange, ClientList } from '../../src/auth/client-list.ts'
import type { ClientRecord, ClientStore } from '../../src/auth/clients.ts'
import { HeldAccess } from '../../src/auth/held-access.ts'
import { queueAccess } from '../../src/auth/queue-access.ts'
import { PollWaits } from '../../src/broker/engine/poll-waits.ts'
import { WaitLimit } from '../../src/broker/engine/waits.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { DispatchRig, holdClock } from '../_support/dispatch-rig.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { newClient } from '../contract/storage.ts'

const ORDERS = runs(1_000)
const BATCH = 50

/** Lets turns pass, so that two actions meet in another order each time: nine of ten are turns of promises. */
async function turns(count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await (n % 10 === 0 ? setImmediate() : null)
}

/** Returns a store of one client, whose changes take some turns. */
function storeOf(client: ClientRecord, delay: () => number): ClientStore {
  return {
    all: async () => [client],
    add: async () => Promise.reject(new Error('unused')),
    addFirstAdmin: async () => null,
    replace: () => turns(delay()),
    remove: () => turns(delay()),
    lastLogins: async () => new Map(),
    previousLogin: async () => null,
    recordLogins: async () => {},
  }
}

/** Events that end the right of a client to poll the device behind it. */
const CHANGES: readonly (ClientChange | 'remove')[] = [
  'remove',
  { role: 'READER' },
  { deviceId: 'renamed' },
  { devices: [] },
]

test('many orders of a change and a dispatch → a NO message leaves before the change, or no ended wait gets it', async () => {
  const seed = seedOfRun()
  const random = seeded(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  const outcomes = { before: 0, pending: 0, taken: 0 }
  holdClock()
  for (let order = 0; order < ORDERS; order += BATCH) {
    const store = openMemory({ clock: systemClock, random })
    const connections = {
      attach: (deviceId: string, transport: string) => rig.dispatcher.attach(deviceId, transport),
      detach: (deviceId: string, transport: string) => void rig.dispatcher.detach(deviceId, transport),
      decided: (deviceId: string) => rig.dispatcher.decided(deviceId),
    }
    const waits = new PollWaits({ connections, presence: new Presence(), limit: new WaitLimit(BATCH) })
    const rig: DispatchRig = new DispatchRig(() => store, {
      dispatch: (deviceId, each) => waits.dispatch(deviceId, each),
      disconnect: (deviceId) => waits.disconnect(deviceId),
    })
    for (let n = 0; n < BATCH; n++) {
      const id = order + n + 1
      const deviceId = `pump-${id}`
      const gateway = { ...newClient(`gateway-${id}`), devices: [deviceId], ownQueueOnly: true }
      const record: ClientRecord = { ...gateway, id, role: 'DEVISE' }
      const clients = await ClientList.open(
        storeOf(record, () => pick(12)),
        Date.now,
      )
      const access = new AccessControl({ clients })
      const held = new HeldAccess({ access, log: { error: (fields) => expect(fields).toBeUndefined() } })
      const canActFor = queueAccess(
        () => true,
        (client) => clients.devicesOf(client),
      )
      const grant = access.grant(record)
      const hold = held.by(grant, 'wait', () => canActFor(grant, deviceId))
      const events: string[] = []
      const answered = waits.wait(deviceId, 60_000, new AbortController().signal, hold).then((answer) => {
        events.push(answer.message ? 'message' : 'nothing')
        answer.onSent?.(true)
        return answer
      })
      const change = CHANGES[pick(CHANGES.length)] as (typeof CHANGES)[number]
      const sent = turns(pick(60)).then(() => rig.enqueue({ deviceId, guarantee: 'NO' }))
      await turns(pick(120))
      await (change === 'remove' ? clients.remove(id) : clients.change(id, change))
      events.push('changed')
      const messageId = await sent
      await rig.settle()
      const answer = await answered
      const status = await rig.broker.status(messageId)
      const context = JSON.stringify({ seed, id, change, events, status })
      if (answer.message) {
        expect(events, context).toEqual(['message', 'changed'])
        expect(status, context).toBe('DELIVERED')
        outcomes.before++
      } else {
        expect(answer.hasEnded, context).toBe(true)
        expect(['NOT_DELIVERED', 'UNKNOWN'], context).toContain(status)
        outcomes[status === 'UNKNOWN' ? 'taken' : 'pending']++
      }
      held.close()
    }
  }
  expect(outcomes.before).toBeGreaterThan(0)
  expect(outcomes.pending).toBeGreaterThan(0)
})
