/** The state machine of dispatch: a table of its transitions. */
import { describe, expect, test } from 'vitest'
import { rulesFor } from '../../src/broker/engine/dispatch-rules.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import {
  attached,
  CONNECTED,
  claimed,
  claiming,
  claimOf,
  DEAF,
  EMPTY,
  flying,
  Machine,
  openAttempt,
  RULES,
  removed,
} from '../_support/dispatch-machine.ts'

describe('a device that connects', () => {
  test('first connection → attach, then claim at once', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED)).toEqual(['attach'])
    expect(machine.state.phase).toBe('ATTACHING')
    expect(machine.on(attached())).toEqual(['claim'])
    expect(machine.state.phase).toBe('CLAIMING')
  })

  test('an event before the lease is attached → claimed once', () => {
    const machine = new Machine()
    machine.on(CONNECTED)
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.on(CONNECTED)).toEqual([])
    expect(machine.on(attached())).toEqual(['claim'])
  })

  test('another node, or the node before a restart, dispatched 500 ms ago → the rest of the interval', () => {
    const machine = new Machine()
    machine.on(CONNECTED)
    expect(machine.on(attached({ sinceDispatchMs: 500 }))).toEqual(['wake in 1500'])
    expect(machine.hold).toBe('PACING 1500')
    expect(machine.pass(1_499)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('an attempt of an earlier connection is in flight → the claim ends it', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, attached({ attempt: openAttempt(20_000) }))).toEqual([
      'claim, ended 1 CONNECTION',
    ])
  })

  test('the store refuses the attach → attaches again after the pause', () => {
    const machine = new Machine()
    expect(machine.on(CONNECTED, { is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.hold).toBe('RETRYING 5000')
    expect(machine.pass(5_000)).toEqual(['attach'])
  })

  test('a second connection → the message in flight is redelivered, after the interval', () => {
    const machine = flying()
    machine.nowMs += 100
    expect(machine.on(CONNECTED)).toEqual(['attach'])
    expect(machine.on(attached({ sinceDispatchMs: 100, attempt: openAttempt(29_900) }))).toEqual([
      'wake in 1900',
    ])
    expect(machine.pass(1_900)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('a second connection after a missed acknowledgement → the time-out is still reported', () => {
    const machine = flying()
    machine.nowMs += 30_000
    machine.on({ is: 'timer' }, { is: 'failed' })
    expect(machine.on(CONNECTED, attached({ sinceDispatchMs: 30_000, attempt: openAttempt(0) }))).toEqual([
      'wake in 5000',
    ])
    expect(machine.pass(5_000)).toEqual(['claim, ended 1 TIMEOUT'])
  })
})

describe('a device that leaves', () => {
  test('no claim is running → nothing is claimed', () => {
    const machine = flying()
    expect(machine.on({ is: 'disconnected' })).toEqual([])
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual([])
    expect(machine.pass(60_000)).toEqual([])
  })

  test('a claim is running → its message is sent, since a NO message would be lost', () => {
    const machine = claiming()
    machine.on({ is: 'disconnected' })
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1'])
  })

  test('connects again → the interval holds', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 }, { is: 'disconnected' }, CONNECTED)
    expect(machine.on(attached())).toEqual(['wake in 2000'])
  })
})

describe('a claim', () => {
  test('returns a message → send it, wait for its acknowledgement', () => {
    const machine = claiming()
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 30000')
  })

  test('returns a NO message → send it, and the next after the interval', () => {
    const machine = claiming()
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 2000'])
    expect(machine.hold).toBe('PACING 2000')
    expect(machine.pass(2_000)).toEqual(['claim'])
  })

  test('finds nothing → idle until a message is added', () => {
    const machine = claiming()
    expect(machine.on(EMPTY)).toEqual([])
    expect(machine.hold).toBe('IDLE')
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
  })

  test('finds nothing, and a message was added meanwhile → claims again', () => {
    const machine = claiming()
    machine.on({ is: 'added' })
    expect(machine.on(EMPTY)).toEqual(['claim'])
  })

  test('finds an attempt in flight, which a poll began → waits for its end, then reports it', () => {
    const machine = claiming()
    expect(machine.on(claimed({ is: 'inFlight', attempt: openAttempt(700) }))).toEqual(['wake in 700'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 700')
    expect(machine.pass(700)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('finds an attempt whose time is over → reports its end at once', () => {
    const machine = claiming()
    const over = claimed({ is: 'inFlight', attempt: openAttempt(0) })
    expect(machine.on(over)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
  })

  test('finds an attempt in flight, and its message left the queue meanwhile → claims again', () => {
    const machine = claiming()
    machine.on(removed(1))
    expect(machine.on(claimed({ is: 'inFlight', attempt: openAttempt(700) }))).toEqual(['claim'])
  })

  test('is refused → claims again after the pause, with the same ended attempt', () => {
    const machine = flying()
    expect(machine.pass(30_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on({ is: 'failed' })).toEqual(['wake in 5000'])
    expect(machine.pass(5_000)).toEqual(['claim, ended 1 TIMEOUT'])
  })

  test('is refused, and the message was acknowledged meanwhile → claims again without the ended attempt', () => {
    const machine = flying()
    machine.pass(30_000)
    machine.on({ is: 'removed', messageId: 1 }, { is: 'failed' })
    expect(machine.pass(5_000)).toEqual(['claim'])
  })

  test('finds the lease lost → disconnects, and does nothing until a new connection', () => {
    const machine = claiming()
    expect(machine.on(claimed({ is: 'lost' }))).toEqual(['disconnect'])
    expect(machine.on({ is: 'added' }, { is: 'timer' })).toEqual([])
    expect(machine.on(CONNECTED)).toEqual(['attach'])
  })
})

describe('a message that leaves its queue', () => {
  test('in flight → the next after the interval', () => {
    const machine = flying()
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['wake in 2000'])
    expect(machine.pass(2_000)).toEqual(['claim'])
  })

  test('in flight for longer than the interval → the next at once', () => {
    const machine = flying()
    machine.nowMs += 2_000
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['claim'])
  })

  test('not the one in flight → nothing changes', () => {
    const machine = flying()
    expect(machine.on({ is: 'removed', messageId: 2 })).toEqual(['wake in 30000'])
  })

  test('timed out, before the claim that reports it → the claim reports nothing', () => {
    const machine = flying({ ...RULES, intervalMs: 60_000 })
    expect(machine.pass(30_000)).toEqual(['missed 1', 'wake in 30000'])
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.pass(30_000)).toEqual(['claim'])
  })

  test('during the claim that returns it → not sent, the attempt is reported as ended', () => {
    const machine = claiming()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.on(claimed(claimOf(1)))).toEqual(['wake in 2000'])
    expect(machine.pass(2_000)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('a NO message, removed by its own claim → sent', () => {
    const machine = claiming()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 2000'])
  })
})

describe('a missing acknowledgement', () => {
  test('the attempt is over → counted, and the message is claimed again', () => {
    const machine = flying()
    expect(machine.pass(29_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
  })

  test('a message is added meanwhile → nothing, since the end of the attempt claims', () => {
    expect(flying().on({ is: 'added' })).toEqual([])
  })
})

describe('the rules of one device', () => {
  const FACTS = { isDeaf: false, onlyPolls: false }

  test('no settings of its own → the general rules themselves', () => {
    expect(rulesFor(GENERAL_SETTINGS, RULES, FACTS)).toBe(RULES)
  })

  test.each([
    [0, false],
    [500, true],
  ])('a period of %d ms → that interval for polls too, and the other general rules', (period, paced) => {
    const own = { ...GENERAL_SETTINGS, sendMessagePeriodMs: period }
    const attempt = { ...RULES.attempt, paced }
    const expected = { ...RULES, intervalMs: period, pacesPolls: paced, attempt }
    expect(rulesFor(own, RULES, FACTS)).toEqual(expected)
    expect(rulesFor(own, RULES, { ...FACTS, onlyPolls: true })).toEqual(expected)
  })

  test('waiting polls alone → no interval', () => {
    const rules = rulesFor(GENERAL_SETTINGS, RULES, { ...FACTS, onlyPolls: true })
    expect(rules).toEqual({ ...RULES, intervalMs: 0, attempt: { ...RULES.attempt, paced: false } })
  })

  test('a deaf device → the longest duration for each attempt', () => {
    expect(DEAF).toEqual({ ...RULES, attempt: { durationsMs: [150_000], paced: true, deaf: true } })
  })

  test('a limit of its own, and nextAfter → those', () => {
    const own = { ...GENERAL_SETTINGS, maxAttempts: 0, nextAfter: 'COMPLETED' as const }
    expect(rulesFor(own, RULES, FACTS)).toEqual({ ...RULES, maxAttempts: 0, nextAfterCompleted: true })
  })
})
