/** A disk that is full, a disk that fails, a process that is killed: what the server answers, and what is there afterwards. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test, vi } from 'vitest'
import { BrokerUnderTest } from './_support/broker.ts'
import { temporaryDirectory, whenDone } from './_support/cleanup.ts'
import type { Answer } from './_support/rest.ts'
import { LOCAL, runCommand } from './_support/server.ts'

vi.setConfig({ testTimeout: 120_000 })

const start = (dataDir: string): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({ adapter: 'node', dataDir })

interface Delivered {
  readonly id: number
  readonly data: object
}

/** Polls and acknowledges until nothing waits any more. */
async function drain(broker: BrokerUnderTest, deviceId = 'pump'): Promise<Delivered[]> {
  const delivered: Delivered[] = []
  for (;;) {
    const { body } = await broker.poll(deviceId)
    const [message] = body as Delivered[]
    if (!message) return delivered
    delivered.push({ id: message.id, data: message.data })
    await broker.acknowledge(deviceId, { id: message.id, deliveryStatus: 'COMPLETED' })
  }
}

describe('a full disk', () => {
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

  /** Sends until one is refused. */
  async function sendUntilRefused(broker: BrokerUnderTest): Promise<{ stored: number[]; refused: Answer }> {
    const stored: number[] = []
    for (let n = 0; n < 5000; n++) {
      const answer = await broker.request('pump', { command: 'start', data: { text: KIB } })
      if (answer.status !== 200) return { stored, refused: answer }
      stored.push((answer.body as { id: number }).id)
    }
    throw new Error('the disk does not get full')
  }

  test('refuses writes with 503 and a reason, goes on reading, and takes writes again without a restart', async ({
    skip,
  }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('only a user who may mount a small disk can fill one up')
    const dataDir = join(disk, 'data')
    const broker = await start(dataDir)
    const first = await broker.send('pump', { command: 'start' })

    const free = fill(disk)
    const { stored, refused } = await sendUntilRefused(broker)

    expect(refused).toMatchObject({
      status: 503,
      body: {
        error: 'Service Unavailable',
        message: 'The disk is full: nothing was stored. Free some space and send it again.',
      },
    })
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(await broker.status(first)).toBe('NOT_DELIVERED')
    expect(await broker.next('pump')).toBe(first)
    expect(await broker.acknowledge('pump', { id: first })).toMatchObject({ status: 503 })

    free()
    const resumed = await broker.send('pump', { command: 'start' })

    const answered = [first, ...stored, resumed]
    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    expect((await drain(again)).map(({ id }) => id)).toEqual(answered)
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
    const { stored, refused } = await sendUntilRefused(again)
    expect(refused.status).toBe(503)
    free()
    const resumed = await again.send('pump', { command: 'start' })
    expect((await drain(again)).map(({ id }) => id)).toEqual([sent, ...stored, resumed])
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

describe('a disk that does not sync', () => {
  /** From when it resolves, every sync of the process fails. False where this user may not trace it. */
  async function failSyncs(pid: number): Promise<boolean> {
    const calls = 'fsync,fdatasync'
    const tracer = spawn(
      'strace',
      ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`, '-p', String(pid)],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = once(tracer, 'close').then(
      () => false,
      () => false,
    )
    whenDone(() => {
      tracer.kill()
      return ended
    })
    const attached = new Promise<boolean>((resolve) => {
      createInterface({ input: tracer.stderr }).on('line', (line) => {
        if (/ attached/.test(line)) resolve(true)
      })
    })
    return Promise.race([attached, ended])
  }

  test('refuses all writes from then on and says why, goes on reading; a restart mends it', async ({
    skip,
  }) => {
    const dataDir = temporaryDirectory()
    const broker = await start(dataDir)
    const before = [
      await broker.send('pump', { command: 'start' }),
      await broker.send('pump', { command: 'stop' }),
    ]
    if (!(await failSyncs(broker.server.pid)))
      return skip('only a user who may trace a process can fail its syncs')

    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await broker.request('pump', { command: 'lost' })).toMatchObject({
        status: 503,
        body: {
          error: 'Service Unavailable',
          message: 'The disk failed: nothing is stored any more. Check the disk, then restart the server.',
        },
      })
    }
    const line = await broker.server.logged(({ level }) => level === 'error')
    expect(line).toMatchObject({
      msg: 'the disk failed: no message is taken any more until a restart. Check the disk',
      err: { code: expect.stringMatching(/^SQLITE_IOERR/) },
    })
    expect(broker.server.log.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect(await broker.status(before[0] as number)).toBe('NOT_DELIVERED')
    expect(await broker.next('pump')).toBe(before[0])

    await broker.server.kill('SIGKILL')
    const again = await start(dataDir)
    const after = await again.send('pump', { command: 'start' })
    const delivered = (await drain(again)).map(({ id }) => id)
    expect(delivered).toEqual(delivered.toSorted((a, b) => a - b))
    // One that was answered with 503 may have reached the disk all the same.
    expect(delivered).toEqual(expect.arrayContaining([...before, after]))
    expect(delivered.length).toBeLessThanOrEqual(before.length + 2)
  })
})

describe('a process that is killed', () => {
  const PRODUCERS = 16
  const BEFORE_KILL = 800

  test('while many producers send has everything that it answered, once, in order', async () => {
    const dataDir = temporaryDirectory()
    const broker = await start(dataDir)
    const answered = new Map<number, object>()
    const produce = async (producer: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const data = { producer, n }
        // It is killed in the middle: the request then fails, and the producer stops.
        const answer = await broker.request('pump', { command: 'start', data }).catch(() => null)
        if (answer === null) return
        expect(answer.status).toBe(200)
        answered.set((answer.body as { id: number }).id, data)
        if (answered.size === BEFORE_KILL) void broker.server.kill('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: PRODUCERS }, (_, producer) => produce(producer)))
    await broker.server.exited

    const delivered = await drain(await start(dataDir))

    const ids = delivered.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    const found = new Map(delivered.map(({ id, data }) => [id, data]))
    for (const [id, data] of answered) expect(found.get(id)).toEqual(data)
    // Each producer had at most one on its way.
    expect(delivered.length - answered.size).toBeLessThanOrEqual(PRODUCERS)
    for (let producer = 0; producer < PRODUCERS; producer++) {
      const own = delivered.map(({ data }) => data as { producer: number; n: number })
      const numbers = own.filter((data) => data.producer === producer).map(({ n }) => n)
      expect(numbers).toEqual(numbers.map((_, i) => i))
    }
  })
})
