/** Runs the action of a question: once at a time, with a readable error, and not just when its button appears. */
import { useEffect, useState } from 'preact/hooks'
import { useProblemText } from './problem-text.ts'

export interface ActionProps {
  readonly run: () => Promise<unknown>
  /** Returns the text for an error; undefined for the general text. */
  readonly textFor?: ((error: unknown) => string | undefined) | undefined
  readonly onDone: () => void
}

/** Time for which a button that has just appeared ignores clicks, so that a double click does not hit it. */
const UNARMED_MS = 300

/** Returns false for 300 ms after the component appears, then true. */
export function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), UNARMED_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}

interface Action {
  readonly problem: string | null
  readonly isBusy: boolean
  readonly act: () => Promise<void>
}

/** Runs an action on demand, and keeps its error. */
export function useAction({ run, textFor, onDone }: ActionProps): Action {
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  async function act(): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      await run()
      onDone()
    } catch (error) {
      setProblem(textFor?.(error) ?? textOf(error))
    }
    setBusy(false)
  }
  return { problem, isBusy, act }
}
