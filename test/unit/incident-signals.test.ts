/** Signals from facts: the thresholds of their start and their end, and the rules of administrators. */
import { describe, expect, test } from 'vitest'
import type { IncidentRule } from '../../src/broker/contract/incident-store.ts'
import { checkRules, DEFAULT_RULES, listRules, rulesOf } from '../../src/broker/incidents/incident-rules.ts'
import { findSignals, type SignalSources } from '../../src/broker/incidents/signals.ts'
import type { AlertFacts } from '../../src/broker/views/alert-facts.ts'

const NOW = 1_000_000_000_000
const DISK = 10_000_000_000

const FACTS: AlertFacts = {
  store: {
    failedAtMs: null,
    oldest: async () => [],
    nearlyFull: () => [],
    newest: async () => [],
    unknown: async () => [],
    failures: async () => [],
  },
  space: { directory: '/', database: 0, log: 0, free: DISK, disk: DISK },
  ...{ clockBehindMs: null, unanswered: [], deaf: [], refusedAnswers: [], silent: [], rejections: [] },
  ...{ openQueueClients: null, nowMs: NOW },
}

interface Parts extends Partial<Omit<SignalSources, 'facts' | 'isMember'>> {
  readonly facts?: Partial<AlertFacts>
  readonly members?: readonly string[]
}

async function signalsOf({ facts, members = [], ...parts }: Parts) {
  return findSignals({
    facts: { ...FACTS, ...facts },
    rules: DEFAULT_RULES,
    isMember: (key) => members.includes(key),
    presenceOf: () => ({ atMs: NOW, transport: 'MQTT' }),
    gatewayOf: () => null,
    networkOf: (address) => address.replace(/\d+$/, '0'),
    waitingOf: () => 0,
    queueLimitOf: () => 100,
    fullDevices: [],
    connects: [],
    ...parts,
  })
}

/** Counts the starts and the ends of a signal while a value changes. */
async function changesOf(key: string, values: readonly number[], parts: (value: number) => Parts) {
  let members: readonly string[] = []
  const seen: string[] = []
  for (const value of values) {
    const present = (await signalsOf({ ...parts(value), members })).map((signal) => signal.key)
    if (present.includes(key) !== members.includes(key)) seen.push(members.includes(key) ? 'end' : 'start')
    members = present
  }
  return seen
}

describe('thresholds of the start and the end', () => {
  test('the free share of the disk flaps around 5 % → one start; above 7 % → one end', async () => {
    const shares = [0.06, 0.049, 0.051, 0.049, 0.06, 0.07, 0.06, 0.0701, 0.06]
    const changes = await changesOf('DISK_NEARLY_FULL', shares, (share) => ({
      facts: { space: { ...FACTS.space, free: share * DISK } },
    }))
    expect(changes).toEqual(['start', 'end'])
  })

  test('the fill level of a queue flaps around 80 % → one start; at 60 % → one end', async () => {
    const levels = [79, 80, 79, 81, 70, 61, 80, 60, 70]
    let full: string[] = []
    const changes = await changesOf('QUEUE_NEARLY_FULL:pump', levels, (value) => {
      const queue = { deviceId: 'pump', value, limit: 100, of: 'messages' } as const
      const nearlyFull = () => (value >= 80 ? [queue] : [])
      if (value >= 80) full = ['pump']
      const fullDevices = full
      if (value <= 60) full = []
      return { facts: { store: { ...FACTS.store, nearlyFull } }, waitingOf: () => value, fullDevices }
    })
    expect(changes).toEqual(['start', 'end'])
  })

  test('the age of the oldest message flaps around an hour → one start; below 45 minutes → one end', async () => {
    const minutes = [59, 61, 59, 61, 50, 46, 61, 44, 50]
    const changes = await changesOf('WAITING_LONG:pump', minutes, (age) => {
      const oldest = async () => [{ deviceId: 'pump', messageId: 1, atMs: NOW - age * 60_000 }]
      return { facts: { store: { ...FACTS.store, oldest } } }
    })
    expect(changes).toEqual(['start', 'end'])
  })
})

describe('signals', () => {
  test('failures of two commands and a rule of three messages → the command with three alone', async () => {
    const failed = (deviceId: string, command: string, count: number) => {
      const latest = { deviceId, messageId: 7, command, reason: 'valve stuck', atMs: NOW }
      return { deviceId, cause: null, count, sinceMs: NOW - 1, latest }
    }
    const failures = async () => [failed('a', 'open', 2), failed('b', 'open', 1), failed('a', 'close', 2)]
    const rule = { kind: 'FAILED', isEnabled: true, start: null, end: null, quietSeconds: null } as const
    const found = await signalsOf({
      facts: { store: { ...FACTS.store, failures } },
      rules: rulesOf([{ ...rule, minMessages: 3 }]),
    })
    expect(found.map(({ key, reason }) => [key, reason])).toEqual([
      ['FAILED:a:open', 'valve stuck'],
      ['FAILED:b:open', 'valve stuck'],
    ])
    expect(
      await signalsOf({
        facts: { store: { ...FACTS.store, failures } },
        rules: rulesOf([{ ...rule, isEnabled: false, minMessages: null }]),
      }),
    ).toEqual([])
  })

  test('logins of 20 names from one network are refused once each → one signal; 19 → none', async () => {
    const refused = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...({ reason: 'WRONG_CREDENTIALS', message: '', deviceId: `name-${i}`, clientId: null } as const),
        ...{ address: `192.0.2.${i}`, transport: 'MQTT', count: 1, firstAtMs: NOW - 9, atMs: NOW - 1 },
      }))
    expect(await signalsOf({ facts: { rejections: refused(19) } })).toEqual([])
    expect(await signalsOf({ facts: { rejections: refused(20) } })).toMatchObject([
      { key: 'LOGIN_REFUSED:192.0.2.0', deviceId: null, count: 20 },
    ])
    const ofOne = refused(20).map((each) => ({ ...each, deviceId: 'pump' }))
    expect(await signalsOf({ facts: { rejections: ofOne } })).toMatchObject([{ deviceId: 'pump', count: 20 }])
  })

  test('a device connects 20 times within an hour → a signal with its network; it lasts down to 5', async () => {
    const connects = (count: number) => [
      {
        deviceId: 'pump',
        connects: count,
        sinceMs: NOW - 9,
        address: '192.0.2.7',
        reason: 'KEEP_ALIVE' as const,
      },
    ]
    const counts = [19, 20, 19, 5, 4, 19, 20]
    const changes = await changesOf('FLAPPING:pump', counts, (count) => ({ connects: connects(count) }))
    expect(changes).toEqual(['start', 'end', 'start'])
    const found = await signalsOf({ connects: connects(90) })
    expect(found).toMatchObject([
      {
        kind: 'FLAPPING',
        deviceId: 'pump',
        count: 90,
        reason: 'KEEP_ALIVE',
        address: '192.0.2.0',
        sinceMs: NOW - 9,
      },
    ])
  })

  test('a silent device → away, with its gateway and the commands that wait; a connected one → not away', async () => {
    const silent = [{ deviceId: 'pump', sinceMs: NOW - 9, expectedSeconds: 1 }]
    const deaf = [{ deviceId: 'lamp', sinceMs: NOW - 8 }]
    const found = await signalsOf({
      facts: { silent, deaf },
      presenceOf: (id) => ({ atMs: id === 'pump' ? NOW - 9 : NOW, transport: id === 'pump' ? null : 'MQTT' }),
      gatewayOf: () => 'hall-3',
      waitingOf: () => 4,
    })
    expect(found).toMatchObject([
      { key: 'DEVICE_DEAF:lamp', awayMs: null, waiting: 4 },
      { key: 'DEVICE_SILENT:pump', awayMs: NOW - 9, gateway: 'hall-3', waiting: 4 },
    ])
  })
})

describe('rules of administrators', () => {
  const rule = (parts: Partial<IncidentRule> & Pick<IncidentRule, 'kind'>): IncidentRule => {
    return { isEnabled: true, start: null, end: null, quietSeconds: null, minMessages: null, ...parts }
  }

  test.each([
    ['an end on the wrong side of the start', [rule({ kind: 'QUEUE_NEARLY_FULL', end: 90 })]],
    ['an end below the start of the free share', [rule({ kind: 'DISK_NEARLY_FULL', start: 8 })]],
    ['a value outside its bounds', [rule({ kind: 'WAITING_LONG', start: 5 })]],
    ['a value that the kind does not have', [rule({ kind: 'DEVICE_SILENT', start: 5 })]],
    ['a number of messages for a kind without messages', [rule({ kind: 'DEVICE_DEAF', minMessages: 2 })]],
    ['a kind twice', [rule({ kind: 'FAILED' }), rule({ kind: 'FAILED' })]],
  ])('%s → bad-rule', (_, rules) => {
    expect(() => checkRules(rules)).toThrow(expect.objectContaining({ code: 'bad-rule' }))
  })

  test('values within the bounds → accepted, and the others stay the default', () => {
    const rules = [rule({ kind: 'WAITING_LONG', start: 7_200, end: 3_600, quietSeconds: 0 })]
    checkRules(rules)
    const listed = listRules(rules)
    expect(listed.find(({ kind }) => kind === 'WAITING_LONG')).toEqual({ ...rules[0] })
    expect(listed.find(({ kind }) => kind === 'FAILED')).toEqual({ kind: 'FAILED', ...DEFAULT_RULES.FAILED })
  })
})
