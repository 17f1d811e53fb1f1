/** Lists of messages from SQLite, compared with a plain filter over all messages, also where an index serves them. */
import { describe, expect, test } from 'vitest'
import { type AckStatus, WITHDRAWN_CAUSES } from '../../src/broker/vocabulary/status.ts'
import { checkDatabase } from '../../src/store/sqlite/database/backup.ts'
import { HeldClock } from '../_support/clock.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'
import {
  CHANGES,
  DEVICES,
  enqueueAll,
  expectLists,
  expectSearches,
  RESENDS,
  STATUSES_BY_CAUSE,
} from '../contract/message-lists.ts'

/** Distance of the ids that {@link SPREAD} makes. A multiple of 11 and one, since a rule of the tests counts in elevens. */
const APART = 56
/** Spreads the ids over nine segments, and makes two of these empty. */
const SPREAD = `PRAGMA foreign_keys = OFF;
  UPDATE messages SET id = -${APART} * id;
  UPDATE messages SET id = -id;
  UPDATE resends SET message_id = ${APART} * message_id;
  DELETE FROM resends WHERE message_id BETWEEN 40000 AND 90000;
  DELETE FROM messages WHERE id BETWEEN 40000 AND 90000`

/** Stores 2,400 messages, one each second, and settles most of them. */
async function fill(store: TemporaryStore, clock: HeldClock): Promise<void> {
  await enqueueAll(store.messages, clock)
  clock.setWall(9e6)
  const changed: Promise<unknown>[] = []
  const acknowledge = (messageId: number, deviceId: string, status: AckStatus): void => {
    changed.push(store.messages.acknowledge({ messageId, deviceId, status, by: null, report: null }))
  }
  for (let id = 1; id <= 2_200; id++) {
    const deviceId = DEVICES[((id - 1) * 7) % 3] as string
    if (id % 300 === 4) {
      acknowledge(id, deviceId, 'DELIVERED')
    } else if (id % 250 === 1) changed.push(store.messages.cancel(id, { by: null, force: false }))
    else if (id % 350 === 2) acknowledge(id, deviceId, 'COMPLETED_WITH_ERROR')
    else acknowledge(id, deviceId, id % 2 ? 'DELIVERED' : 'COMPLETED')
  }
  await Promise.all(changed)
  // Messages that ended in every other way, CANCELLED and UNKNOWN ones in turn.
  const path = databaseIn(store.directory)
  for (const [n, cause] of WITHDRAWN_CAUSES.entries()) {
    const [status, other] = STATUSES_BY_CAUSE[cause]
    const set = (to: string, rest: number): void =>
      alter(
        path,
        `UPDATE messages SET status = '${to}', cause = '${cause}' WHERE id < 2200 AND id % 90 = ${rest}`,
      )
    set(status, 2 * n)
    if (other) set(other, 2 * n + 20)
  }
  alter(path, `${CHANGES} AND status <> 'NOT_DELIVERED'; ${RESENDS}`)
}

describe('list of messages', () => {
  test('any filter, not indexed yet, indexed, reopened, purged → the same as a plain filter', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    await fill(store, clock)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.indexed(1_500)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.reopen()
    await expectLists(store.messageLog)
    await expectSearches(store)

    expect(await store.messages.purge(9.1e6)).toBeGreaterThan(2_000)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.close()
    expect(checkDatabase(databaseIn(store.directory))).toMatchObject({ messages: expect.any(Number) })
  })

  test('many segments of the index by device, some of them empty → the same as a plain filter', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    await fill(store, clock)
    await store.close()
    alter(databaseIn(store.directory), SPREAD)
    await store.reopen()
    await store.indexed(2_300 * APART)
    await expectLists(store.messageLog, APART)
    await expectSearches(store, APART)
    const newest = (await store.devices.get('pump')).last?.id
    expect(newest).toBeGreaterThan(2_390 * APART)

    expect(await store.messages.purge(9.1e6)).toBeGreaterThan(1_000)
    await expectLists(store.messageLog, APART)
    await expectSearches(store, APART)
    await store.close()
    expect(checkDatabase(databaseIn(store.directory))).toMatchObject({ messages: expect.any(Number) })
  })
})
