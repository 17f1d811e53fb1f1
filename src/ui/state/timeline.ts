/** Merges the status changes and the attempts of a message into one timeline. */
import type { Attempt, MessageDetail, StatusChange } from './message.ts'

export type TimelineEntry =
  | { readonly kind: 'change'; readonly date: number; readonly change: StatusChange }
  | { readonly kind: 'attempt'; readonly date: number; readonly attempt: Attempt; readonly number: number }

/** Returns the timeline of a message, oldest entry first. */
export function timelineOf({ history, attempts }: MessageDetail): TimelineEntry[] {
  const out = attempts.map((attempt, i): TimelineEntry => {
    return { kind: 'attempt', date: attempt.date, attempt, number: attempt.number ?? i + 1 }
  })
  const changes = history
    // A NO message is delivered by its dispatch, so only the attempt is shown.
    .filter(({ cause }) => cause !== 'HANDED_OVER' || attempts.length === 0)
    .map((change): TimelineEntry => ({ kind: 'change', date: change.date, change }))
  // The first change is the storing. The sort is stable, so it stays first among entries of the same millisecond.
  const [stored = [], later = []] = [changes.slice(0, 1), changes.slice(1)]
  return [...stored, ...out, ...later].sort((a, b) => a.date - b.date)
}

type AttemptEntry = Extract<TimelineEntry, { kind: 'attempt' }>

/** Several attempts in a row with the same transport, outcome and reason. */
export interface AttemptRun {
  readonly kind: 'run'
  readonly attempts: readonly AttemptEntry[]
}

/** Maximum shown attempts. A message that is never acknowledged may have thousands. */
const MAX_ATTEMPTS = 100
/** Minimum length of a run of equal attempts that is folded. */
const MIN_RUN = 3

export interface Folded {
  readonly items: readonly (TimelineEntry | AttemptRun)[]
  /** Number of attempts before the oldest shown attempt. */
  readonly left: number
}

/** Folds runs of equal attempts, and omits all but the newest attempts. */
export function foldedTimeline(entries: readonly TimelineEntry[]): Folded {
  const left = Math.max(0, entries.filter(({ kind }) => kind === 'attempt').length - MAX_ATTEMPTS)
  let skipped = 0
  const items: (TimelineEntry | AttemptRun)[] = []
  let run: AttemptEntry[] = []
  const endRun = (): void => {
    if (run.length >= MIN_RUN) items.push({ kind: 'run', attempts: run })
    else items.push(...run)
    run = []
  }
  for (const entry of entries) {
    if (entry.kind === 'attempt' && skipped++ < left) continue
    const last = run.at(-1)
    if (entry.kind === 'change' || (last && !areAlike(last, entry))) endRun()
    if (entry.kind === 'attempt') run.push(entry)
    else items.push(entry)
  }
  endRun()
  return { items, left }
}

function areAlike({ attempt: a }: AttemptEntry, { attempt: b }: AttemptEntry): boolean {
  return a.transport === b.transport && a.outcome === b.outcome && a.reason === b.reason
}
