/** Copies a text to the clipboard when its button is pressed. */
import { Check, Copy } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

/** Milliseconds for which the button confirms the copy. */
const FEEDBACK_MS = 2_000

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTexts('common')
  const [isDone, setDone] = useFeedback()
  const Icon = isDone ? Check : Copy
  return (
    <button type="button" class="small quiet" onClick={() => void copyText(text).then(setDone)}>
      <Icon size={14} aria-hidden="true" />
      <span aria-live="polite">{isDone ? t.copied : (label ?? t.copy)}</span>
    </button>
  )
}

/** Copies a text, with an icon and no label. */
export function CopyIcon({ text }: { text: string }) {
  const t = useTexts('common')
  const [isDone, setDone] = useFeedback()
  const Icon = isDone ? Check : Copy
  const label = isDone ? t.copied : t.copy
  return (
    <button
      type="button"
      class="icon copy"
      title={label}
      aria-label={label}
      onClick={() => void copyText(text).then(setDone)}
    >
      <Icon size={14} aria-hidden="true" />
    </button>
  )
}

/** Keeps the confirmation for two seconds. */
function useFeedback(): [isDone: boolean, setDone: (isDone: boolean) => void] {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), FEEDBACK_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  return [isDone, setDone]
}

/**
 * Copies a text, and returns whether that succeeded. Browsers offer a clipboard on secure origins only, and a user may
 * deny access. `execCommand` works elsewhere.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}
