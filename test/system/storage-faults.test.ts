/** A full disk and a disk that fails: the answers of the server, and its state afterwards. */
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LIMIT_MS, WAIT_MS } from '../_support/limits.ts'
import type { Answer } from '../_support/rest.ts'
import { LOCAL, runCommand, type ServerProcess } from '../_support/server.ts'
import { fill, mountSmallDisk, NO_SMALL_DISK } from '../_support/small-disk.ts'
import { attachStrace, NO_STRACE } from '../_support/strace.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

/** Size of the small disk. An empty one has more room than the server demands for a submit. */
const DISK_MB = 64

/** Polls and acknowledges until no message is pending for `pump`. */
async function drain(broker: BrokerUnderTest): Promise<number[]> {
  const delivered: number[] = []
  for (let id = await broker.next('pump'); id !== null; id = await broker.next('pump')) {
    delivered.push(id)
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
  }
  return delivered
}

describe.each(ADAPTERS)('adapter %s: a full disk', (adapter) => {
  const start = (dataDir: string): Promise<BrokerUnderTest<ServerProcess>> =>
    BrokerUnderTest.spawn({ adapter, dataDir })
  const KIB = Buffer.alloc(1024, 'x').toString()

  const FULL = {
    status: 503,
    body: {
      error: 'Service Unavailable',
      message: expect.stringMatching(
        /^The disk is (?:nearly )?full: nothing was stored\. Free some space and send it again\.$/,
      ),
    },
  }

  /** Sends a command until it is stored. The server looks every 10 seconds whether the disk has room again. */
  const sendWhenRoom = (broker: BrokerUnderTest): Promise<number> =>
    vi.waitFor(() => broker.send('pump', { command: 'start' }), { timeout: WAIT_MS, interval: 100 })

  /** Lets eight producers send until each is refused. @returns the ids that were answered */
  async function sendUntilRefused(broker: BrokerUnderTest): Promise<number[]> {
    const stored: number[] = []
    const produce = async (): Promise<Answer> => {
      for (let n = 0; n < 5000; n++) {
        const answer = await broker.request('pump', { command: 'start', data: { text: KIB } })
        if (answer.status !== 200) return answer
        stored.push((answer.body as { id: number }).id)
      }
      throw new Error('the disk does not get full')
    }
    for (const refused of await Promise.all(Array.from({ length: 8 }, produce))) {
      expect(refused).toMatchObject(FULL)
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    return stored.toSorted((a, b) => a - b)
  }

  test('while the server runs → writes are 503, reads continue; free again → writes are stored', async ({
    skip,
  }) => {
    const disk = mountSmallDisk(DISK_MB)
    if (disk === null) return skip(NO_SMALL_DISK)
    const dataDir = join(disk, 'data')
    const broker = await start(dataDir)
    const first = await broker.send('pump', { command: 'start' })
    const once = await broker.send('lamp', { command: 'on', believerGuarantee: 'NO' })

    const free = fill(disk)
    const stored = await sendUntilRefused(broker)

    expect(await broker.status(first)).toBe('NOT_DELIVERED')
    expect(await broker.next('pump')).toBe(first)
    expect(await broker.acknowledge('pump', { id: first })).toMatchObject(FULL)
    // A change that cannot be stored cancels no message and dispatches none.
    expect(await broker.request('pump', { command: 'start', believerGuarantee: 'ONLY_LAST' })).toMatchObject(
      FULL,
    )
    expect(await broker.poll('lamp')).toMatchObject(FULL)
    expect(await broker.next('pump')).toBe(first)
    expect(await broker.status(once)).toBe('NOT_DELIVERED')

    free()
    const resumed = await sendWhenRoom(broker)
    expect(await broker.next('lamp')).toBe(once)
    expect(await broker.next('lamp')).toBe(null)

    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    expect(await drain(again)).toEqual([first, ...stored, resumed])
    expect(await again.status(once)).toBe('DELIVERED')
  })

  test('at the start → reads are served, writes are 503', async ({ skip }) => {
    const disk = mountSmallDisk(DISK_MB)
    if (disk === null) return skip(NO_SMALL_DISK)
    const dataDir = join(disk, 'data')
    const broker = await start(dataDir)
    const sent = await broker.send('pump', { command: 'start' })
    await broker.server.kill('SIGKILL')

    const free = fill(disk)
    const again = await start(dataDir)
    expect(await again.next('pump')).toBe(sent)
    const stored = await sendUntilRefused(again)
    free()
    const resumed = await sendWhenRoom(again)
    expect(await drain(again)).toEqual([sent, ...stored, resumed])
  })

  test('at the first start → the start is refused with the reason', async ({ skip }) => {
    const disk = mountSmallDisk(DISK_MB)
    if (disk === null) return skip(NO_SMALL_DISK)
    fill(disk)
    const { code, stderr } = await runCommand({ args: LOCAL, dataDir: join(disk, 'data') })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^waybill: .*: free some space or check the disk.*\n$/)
  })
})

describe.each(ADAPTERS)('adapter %s: a disk that does not sync', (adapter) => {
  const start = (dataDir: string): Promise<BrokerUnderTest<ServerProcess>> =>
    BrokerUnderTest.spawn({ adapter, dataDir })

  /** Makes every sync of the process fail, in all threads. Resolves to null if this user may not trace it. */
  const failSyncs = (pid: number) =>
    attachStrace(pid, ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO'])

  test('while the server runs → writes and unsynced reads are 503 with the reason; a restart repairs it', async ({
    skip,
  }) => {
    const dataDir = temporaryDirectory()
    const broker = await start(dataDir)
    const before = [
      await broker.send('pump', { command: 'start' }),
      await broker.send('pump', { command: 'stop' }),
    ]
    const once = await broker.send('lamp', { command: 'on', believerGuarantee: 'NO' })
    if ((await failSyncs(broker.server.pid)) === null) return skip(NO_STRACE)

    const FAILED = {
      status: 503,
      body: {
        error: 'Service Unavailable',
        message: 'The disk failed, so nothing can be stored. Check the disk, then restart the server.',
      },
    }
    const lost = { command: 'start', believerGuarantee: 'ONLY_LAST' }
    const first = await Promise.all(Array.from({ length: 8 }, () => broker.request('pump', lost)))
    for (const answer of first) expect(answer).toMatchObject(FAILED)
    expect(await broker.request('pump', lost)).toMatchObject(FAILED)
    expect(await broker.acknowledge('pump', { id: before[0] })).toMatchObject(FAILED)
    expect(await broker.poll('lamp')).toMatchObject(FAILED)
    const line = await broker.server.logged(({ level }) => level === 'error')
    expect(line).toMatchObject({
      msg: 'the disk failed, so nothing can be stored. Check the disk, then restart the server',
      err: { code: 'EIO' },
    })
    expect(broker.server.log.filter(({ level }) => level === 'error')).toHaveLength(1)
    // It is unknown whether the refused changes are on disk.
    expect(await broker.rest.get(`/producer/getMessageStatus/${before[0]}`)).toMatchObject(FAILED)
    expect(await broker.rest.get('/admin/api/messages')).toMatchObject(FAILED)
    // The command of a message never changes, so a poll is answered.
    expect(await broker.next('pump')).toBe(before[0])

    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    const after = await again.send('pump', { command: 'turn' })
    // The first commit that was answered with 503 may have reached the disk, as a whole.
    const [oldest, ...rest] = await drain(again)
    if (oldest === before[0]) expect(rest).toEqual([before[1], after])
    else expect([oldest, ...rest]).toEqual([before[1], after - 1, after])
    expect(await again.status(once)).toMatch(/^(NOT_DELIVERED|DELIVERED)$/)
  })
})
