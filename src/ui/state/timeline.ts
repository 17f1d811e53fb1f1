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
    // A NO message is delivered by its dispatch, so the attempt alone is shown.
    .filter(({ cause }) => cause !== 'HANDED_OVER' || attempts.length === 0)
    .map((change): TimelineEntry => ({ kind: 'change', date: change.date, change }))
  // The first change is the storing. The sort is stable, so it stays first among entries of the same millisecond.
  const [stored = [], later = []] = [changes.slice(0, 1), changes.slice(1)]
  return [...stored, ...out, ...later].sort((a, b) => a.date - b.date)
}
