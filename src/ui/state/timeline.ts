/** The past of a message as one line of stops, in the order in which they were. */
import type { Attempt, Change, Message } from './message.ts'

export type Stop =
  | { readonly kind: 'change'; readonly date: number; readonly change: Change }
  | { readonly kind: 'attempt'; readonly date: number; readonly attempt: Attempt; readonly number: number }

export function stopsOf({ history, attempts }: Message): Stop[] {
  const out = attempts.map(
    (attempt, i): Stop => ({ kind: 'attempt', date: attempt.date, attempt, number: i + 1 }),
  )
  const changes = history
    // Handing a NO message over is its delivery: the attempt tells it.
    .filter(({ cause }) => cause !== 'HANDED_OVER' || attempts.length === 0)
    .map((change): Stop => ({ kind: 'change', date: change.date, change }))
  // It is stored first, and sorting keeps the order of what was in the same millisecond.
  const [stored = [], later = []] = [changes.slice(0, 1), changes.slice(1)]
  return [...stored, ...out, ...later].sort((a, b) => a.date - b.date)
}
