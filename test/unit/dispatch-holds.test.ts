/** The state machine of dispatch: pauses, delays, unfinished messages and intervals that hold a device. */
import { describe, expect, test } from 'vitest'
import {
  attached,
  busy,
  CONNECTED,
  claimed,
  claiming,
  claimOf,
  EMPTY,
  flying,
  lineOf,
  MAX_ATTEMPTS,
  Machine,
  ORDERED,
  openAttempt,
  RULES,
  removed,
  unfinished,
  WAITS,
} from '../_support/dispatch-machine.ts'

describe('a busy device', () => {
  test('nothing in flight → no claim before the end of the pause', () => {
    const machine = claiming()
    machine.on(EMPTY, busy(60_000))
    expect(machine.on({ is: 'added' })).toEqual([])
    expect(machine.hold).toBe('BUSY 60000')
    expect(machine.pass(59_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('a message in flight → its attempt ends and is not reported, since the store ended it', () => {
    const machine = flying()
    expect(machine.on(busy(60_000))).toEqual(['wake in 60000'])
    expect(machine.hold).toBe('BUSY 60000')
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('ends the pause → the claim at once', () => {
    const machine = flying()
    machine.on(busy(60_000))
    machine.nowMs += 5_000
    expect(machine.on(busy(0))).toEqual(['claim'])
  })

  test('ends no pause → the message in flight stays in flight', () => {
    expect(flying().on(busy(0))).toEqual(['wake in 30000'])
  })

  test('a shorter pause after a longer one → the shorter one', () => {
    const machine = flying()
    machine.on(busy(60_000))
    expect(machine.on(busy(10_000))).toEqual(['wake in 10000'])
  })

  test('during the claim that returns a message → not sent, the attempt is ended after the pause', () => {
    const machine = claiming()
    expect(machine.on(busy(60_000))).toEqual([])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['wake in 60000'])
    expect(machine.pass(60_000)).toEqual(['claim, ended 1 CONNECTION'])
  })

  test('during the claim that returns a message, and the pause is over before → not sent either', () => {
    const machine = claiming()
    machine.on(busy(60_000), busy(0))
    expect(machine.on(claimed(claimOf(1)))).toEqual(['wake in 2000'])
    expect(machine.pass(2_000)).toEqual(['claim, ended 1 CONNECTION'])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
  })

  test('during the claim that returns a NO message → sent, since it would be lost', () => {
    const machine = claiming()
    machine.on(busy(60_000))
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 60000'])
  })

  test('during the attach, whose attempt the pause ended → the claim after the pause', () => {
    const machine = new Machine()
    machine.on(WAITS, busy(60_000))
    expect(machine.on(attached({ attempt: openAttempt(20_000) }))).toEqual(['wake in 60000'])
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('before the claim that reports a time-out → the claim reports nothing', () => {
    const machine = flying({ ...RULES, intervalMs: 60_000 })
    expect(machine.pass(30_000)).toEqual(['missed 1', 'wake in 30000'])
    machine.on(busy(60_000))
    expect(machine.pass(60_000)).toEqual(['claim'])
  })

  test('while a message is being parked → the store decides, then the pause', () => {
    const machine = flying(RULES, { counted: MAX_ATTEMPTS })
    machine.pass(150_000)
    expect(machine.on(busy(60_000))).toEqual([])
    expect(machine.on({ is: 'parked' })).toEqual(['wake in 60000'])
  })

  test('before it connects → no claim before the end of the pause', () => {
    const machine = new Machine()
    machine.on(busy(60_000))
    expect(machine.on(CONNECTED, attached())).toEqual(['wake in 60000'])
  })
})

describe('a delayed message', () => {
  const later = claimed({ is: 'empty', dueInMs: 10_000 })

  test('is the only one → claimed when it is due', () => {
    const machine = claiming()
    expect(machine.on(later)).toEqual(['wake in 10000'])
    expect(machine.hold).toBe('LATER 10000')
    expect(machine.pass(9_999)).toEqual(['wake in 1'])
    expect(machine.pass(1)).toEqual(['claim'])
  })

  test('another message is added → claimed at once', () => {
    const machine = claiming()
    machine.on(later)
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
    expect(machine.on(claimed(claimOf(1)))).toEqual(['send 1', 'wake in 30000'])
    expect(machine.hold).toBe('ACKNOWLEDGEMENT 1 30000')
  })

  test('is due while another one is in flight → does not interrupt it', () => {
    const machine = claiming()
    machine.on(later, { is: 'added' }, claimed(claimOf(1)))
    expect(machine.pass(10_000)).toEqual(['wake in 20000'])
  })

  test('was cancelled → no wake for it', () => {
    const machine = claiming()
    machine.on(later, { is: 'added' })
    expect(machine.on(EMPTY)).toEqual([])
    expect(machine.hold).toBe('IDLE')
  })

  test('is due in no time, though the claim found nothing → no loop', () => {
    expect(claiming().on(claimed({ is: 'empty', dueInMs: 0 }))).toEqual(['wake in 1'])
  })
})

describe('a device whose next command follows the end of the one before', () => {
  test('a message is DELIVERED → the next one after its end', () => {
    const machine = flying(ORDERED)
    machine.nowMs += 5_000
    expect(machine.on(unfinished(1, 600_000), removed(1))).toEqual(['wake in 600000'])
    expect(machine.hold).toBe('UNFINISHED 600000')
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('a message is unfinished at the attach → the next one after its end', () => {
    const machine = new Machine(ORDERED)
    machine.on(CONNECTED)
    const line = attached({ unfinished: [{ messageId: 1, forMs: 7_000 }] })
    expect(machine.on(line)).toEqual(['wake in 7000'])
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('it ends during the attach, whose answer still has it → the next one at once', () => {
    const machine = new Machine(ORDERED)
    machine.on(CONNECTED, unfinished(1, null))
    expect(machine.on(attached({ unfinished: [{ messageId: 1, forMs: 7_000 }] }))).toEqual(['claim'])
  })

  test('two are unfinished, and one ends → waits for the other one', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), unfinished(2, 9_000), { is: 'added' })
    expect(machine.on(unfinished(2, null))).toEqual(['wake in 7000'])
  })

  test('the claim is held, since the store knows of an unfinished one → waits for its end', () => {
    const machine = flying(ORDERED)
    machine.nowMs += 5_000
    expect(machine.on(removed(1))).toEqual(['claim'])
    const line = lineOf({ sinceDispatchMs: 5_000, unfinished: [{ messageId: 1, forMs: 600_000 }] })
    expect(machine.on({ is: 'held', line })).toEqual(['wake in 600000'])
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('an event comes twice → one hold', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), unfinished(1, 7_000), { is: 'added' })
    expect(machine.on(unfinished(1, null))).toEqual(['claim'])
  })

  test('a message is in flight while an earlier one becomes unfinished → stays in flight', () => {
    expect(flying(ORDERED).on(unfinished(7, 600_000))).toEqual(['wake in 30000'])
  })

  test('the rule ends → the claim at once', () => {
    const machine = claiming(ORDERED)
    machine.on(EMPTY, unfinished(1, 7_000), { is: 'added' })
    expect(machine.apply(RULES)).toEqual(['claim'])
  })

  test('any other device → not held', () => {
    const machine = claiming()
    machine.on(EMPTY, unfinished(1, 7_000))
    expect(machine.on({ is: 'added' })).toEqual(['claim'])
  })
})

describe('a claim that is held', () => {
  test('a poll dispatched 500 ms ago → the rest of the interval, with the same ended attempt', () => {
    const machine = flying()
    expect(machine.pass(30_000)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.on({ is: 'held', line: lineOf({ sinceDispatchMs: 500 }) })).toEqual(['wake in 1500'])
    expect(machine.pass(1_500)).toEqual(['claim, ended 1 TIMEOUT'])
  })

  test('a poll began another attempt meanwhile → its end, and that end is reported', () => {
    const machine = flying()
    machine.pass(30_000)
    machine.on({ is: 'held', line: lineOf({ sinceDispatchMs: 500 }) })
    expect(machine.pass(1_500)).toEqual(['claim, ended 1 TIMEOUT'])
    const attempt = openAttempt(58_500, { counted: 2 })
    expect(machine.on(claimed({ is: 'inFlight', attempt }))).toEqual(['wake in 58500'])
    expect(machine.pass(58_500)).toEqual(['missed 1', 'claim, ended 1 TIMEOUT'])
    expect(machine.state.ended).toMatchObject({ number: 2, atMs: attempt.atMs })
  })

  test('the message of the ended attempt left its queue meanwhile → not reported', () => {
    const machine = flying()
    machine.pass(30_000)
    machine.on(removed(1), { is: 'held', line: lineOf({ sinceDispatchMs: 500 }) })
    expect(machine.pass(1_500)).toEqual(['claim'])
  })
})

describe('an interval that changes', () => {
  test('shorter, while pacing → the rest of the shorter one', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    machine.nowMs += 300
    expect(machine.pace(500)).toEqual(['wake in 200'])
    expect(machine.hold).toBe('PACING 200')
    expect(machine.pass(200)).toEqual(['claim'])
  })

  test('shorter than the time since the dispatch → the claim at once', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    machine.nowMs += 500
    expect(machine.pace(500)).toEqual(['claim'])
  })

  test('longer, while pacing → the rest of the longer one, also when the earlier wake comes', () => {
    const machine = flying()
    machine.on({ is: 'removed', messageId: 1 })
    expect(machine.pace(5_000)).toEqual(['wake in 5000'])
    expect(machine.pass(2_000)).toEqual(['wake in 3000'])
    expect(machine.hold).toBe('PACING 3000')
  })

  test('while a message is in flight → its acknowledgement first', () => {
    const machine = flying()
    expect(machine.pace(0)).toEqual(['wake in 30000'])
    expect(machine.on({ is: 'removed', messageId: 1 })).toEqual(['claim'])
  })

  test('while a claim is on its way → from its dispatch on', () => {
    const machine = claiming()
    expect(machine.pace(5_000)).toEqual([])
    expect(machine.on(claimed(claimOf(1, 'NO')))).toEqual(['send 1', 'wake in 5000'])
  })

  test('of a device without connection, or with nothing to dispatch → nothing', () => {
    expect(new Machine().pace(0)).toEqual([])
    const machine = claiming()
    machine.on(EMPTY)
    expect(machine.pace(0)).toEqual([])
  })
})
