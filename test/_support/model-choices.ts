/** Chooses random steps for the model: their frequency and their values. */
import fc from 'fast-check'
import type { ModelTerms } from './queue-model.ts'

const REPORTS = [{}, { result: [1.5, 'on'] }, { reason: 'worn' }, { result: null, reason: 'no oil' }]
const TERMS: readonly ModelTerms[] = [
  ...[{}, {}, { maxAttempts: 1 }, { validSeconds: 20 }, { finishSeconds: 20 }, { delaySeconds: 10 }],
  ...[
    { delaySeconds: 10, validSeconds: 40 },
    { delaySeconds: 400, finishSeconds: 5 },
  ],
]
/** Terms that never end during a run over real time. */
const LONG_TERMS: readonly ModelTerms[] = [{}, { validSeconds: 86_400 }, { delaySeconds: 86_400 }]

/** Position of a message in the queue, counted from the newest, so that most choices meet one that has not ended. */
const which = fc.nat({ max: 12 })
const command = fc.constantFrom('start', 'stop')
const force = fc.boolean()

const steps = (terms: readonly ModelTerms[], pauses: readonly number[]) => ({
  send: fc.record({
    command,
    guarantee: fc.constantFrom('RECEIPT_CONFIRMATION', 'NO', 'ONLY_LAST', undefined),
    terms: fc.constantFrom(...terms),
  }),
  replace: fc.record({ command, which }),
  'send with a key': fc.record({ command, key: fc.constantFrom('a', 'b'), only: force }),
  burst: fc.record({ count: fc.integer({ min: 2, max: 6 }) }),
  poll: fc.record({ count: fc.integer({ min: 1, max: 3 }) }),
  acknowledge: fc.record({
    which,
    status: fc.constantFrom('DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', undefined),
    report: fc.constantFrom(...REPORTS),
  }),
  'acknowledge wrongly': fc.record({
    which,
    status: fc.constantFrom<unknown>('CANCELLED', 'NOT_DELIVERED', 'UNKNOWN', 'delivered', '', 7, {}),
  }),
  'acknowledge for another device': fc.record({ which }),
  cancel: fc.record({ which, force }),
  'cancel all': fc.record({ command: fc.option(command, { nil: undefined }), force }),
  replay: fc.record({ which }),
  busy: fc.record({ seconds: fc.constantFrom(...pauses) }),
  look: fc.record({ which }),
  'let expire': fc.record({ command }),
  'leave unfinished': fc.record({ command }),
})

type Steps = ReturnType<typeof steps>
export type StepValues = {
  [Name in keyof Steps]: Steps[Name] extends fc.Arbitrary<infer Value> ? Value : never
}
export type Step = { [Name in keyof Steps]: readonly [Name, StepValues[Name]] }[keyof Steps]

const WEIGHTS: Readonly<Record<keyof Steps, number>> = {
  send: 6,
  replace: 1,
  'send with a key': 2,
  burst: 1,
  poll: 6,
  acknowledge: 4,
  'acknowledge wrongly': 1,
  'acknowledge for another device': 1,
  cancel: 2,
  'cancel all': 1,
  replay: 4,
  busy: 1,
  look: 2,
  'let expire': 0,
  'leave unfinished': 0,
}

/** Returns random steps. @param isTimed false for real time, in which terms end only in steps that wait for the end */
export function stepsOf(isTimed: boolean): fc.Arbitrary<Step> {
  const weights = isTimed ? WEIGHTS : { ...WEIGHTS, 'let expire': 0.5, 'leave unfinished': 0.5 }
  const choices = Object.entries(isTimed ? steps(TERMS, [0, 5, 86_400]) : steps(LONG_TERMS, [0, 86_400]))
    .map(([name, arbitrary]) => ({
      weight: Math.round(weights[name as keyof Steps] * 2),
      arbitrary: (arbitrary as fc.Arbitrary<never>).map((values) => [name, values] as unknown as Step),
    }))
    .filter(({ weight }) => weight > 0)
  return fc.oneof(...choices)
}
