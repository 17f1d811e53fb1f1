/** A disk that is full, a disk that fails: what the server answers, and what is there afterwards. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import type { Answer } from '../_support/rest.ts'
import { LOCAL, runCommand, type ServerProcess } from '../_support/server.ts'
import { attachStrace, NO_STRACE } from '../_support/strace.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

/** Polls and acknowledges until nothing waits for `pump` any more. */
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

  /** A disk of a few megabytes; null where this user may not mount one. */
  function mountSmallDisk(): string | null {
    const path = join(temporaryDirectory(), 'disk')
    mkdirSync(path)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path])
    if (mounted.status !== 0) return null
    whenDone(() => spawnSync('umount', ['--lazy', path]))
    return path
  }

  /** @returns gives the space back */
  function fill(disk: string): () => void {
    const path = join(disk, 'filler')
    const file = openSync(path, 'w')
    try {
      for (;;) writeSync(file, Buffer.alloc(4096))
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' })
    } finally {
      closeSync(file)
    }
    return () => rmSync(path)
  }

  const FULL = {
    status: 503,
    body: {
      error: 'Service Unavailable',
      message: 'The disk is full: nothing was stored. Free some space and send it again.',
    },
  }

  /** Eight producers send until one of each is refused. @returns the ids that were answered */
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

  test('refuses writes with 503 and a reason, goes on reading, and takes writes again without a restart', async ({
    skip,
  }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('only a user who may mount a small disk can fill one up')
    const dataDir = join(disk, 'data')
    const broker = await start(dataDir)
    const first = await broker.send('pump', { command: 'start' })
    const once = await broker.send('lamp', { command: 'on', believerGuarantee: 'NO' })

    const free = fill(disk)
    const stored = await sendUntilRefused(broker)

    expect(await broker.status(first)).toBe('NOT_DELIVERED')
    expect(await broker.next('pump')).toBe(first)
    expect(await broker.acknowledge('pump', { id: first })).toMatchObject(FULL)
    // Neither cancels a message nor hands one over that could not be noted.
    expect(await broker.request('pump', { command: 'start', believerGuarantee: 'ONLY_LAST' })).toMatchObject(
      FULL,
    )
    expect(await broker.poll('lamp')).toMatchObject(FULL)
    expect(await broker.next('pump')).toBe(first)
    expect(await broker.status(once)).toBe('NOT_DELIVERED')

    free()
    const resumed = await broker.send('pump', { command: 'start' })
    expect(await broker.next('lamp')).toBe(once)
    expect(await broker.next('lamp')).toBe(null)

    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    expect(await drain(again)).toEqual([first, ...stored, resumed])
    expect(await again.status(once)).toBe('DELIVERED')
  })

  test('at the start: what is stored is served, what is sent is refused', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('only a user who may mount a small disk can fill one up')
    const dataDir = join(disk, 'data')
    const broker = await start(dataDir)
    const sent = await broker.send('pump', { command: 'start' })
    await broker.server.kill('SIGKILL')

    const free = fill(disk)
    const again = await start(dataDir)
    expect(await again.next('pump')).toBe(sent)
    const stored = await sendUntilRefused(again)
    free()
    const resumed = await again.send('pump', { command: 'start' })
    expect(await drain(again)).toEqual([sent, ...stored, resumed])
  })

  test('at the first start ends it with a reason', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('only a user who may mount a small disk can fill one up')
    fill(disk)
    const { code, stderr } = await runCommand({ args: LOCAL, dataDir: join(disk, 'data') })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^waybill: .*: free some space or check the disk.*\n$/)
  })
})

describe.each(ADAPTERS)('adapter %s: a disk that does not sync', (adapter) => {
  const start = (dataDir: string): Promise<BrokerUnderTest<ServerProcess>> =>
    BrokerUnderTest.spawn({ adapter, dataDir })

  /** From when it resolves, every sync of the process fails, in all its threads. Null where this user may not trace it. */
  const failSyncs = (pid: number) =>
    attachStrace(pid, ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO'])

  test('takes and tells nothing that it cannot vouch for, and says why; a restart mends it', async ({
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
    // Whether what was refused is on disk is not known.
    expect(await broker.rest.get(`/producer/getMessageStatus/${before[0]}`)).toMatchObject(FAILED)
    expect(await broker.rest.get('/admin/api/messages')).toMatchObject(FAILED)
    // What is given to a device never changes.
    expect(await broker.next('pump')).toBe(before[0])

    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    const after = await again.send('pump', { command: 'turn' })
    // Of those that were answered with 503 the first commit may have reached the disk all the same, as a whole.
    const [oldest, ...rest] = await drain(again)
    if (oldest === before[0]) expect(rest).toEqual([before[1], after])
    else expect([oldest, ...rest]).toEqual([before[1], after - 1, after])
    expect(await again.status(once)).toMatch(/^(NOT_DELIVERED|DELIVERED)$/)
  })
})
