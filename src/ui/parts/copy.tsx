/** A button that copies a text. */
import { Check, Copy } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

const SAID_MS = 2_000

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTexts('words')
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const Icon = isDone ? Check : Copy
  return (
    <button type="button" class="small quiet" onClick={() => void copied(text).then(setDone)}>
      <Icon size={14} aria-hidden="true" />
      <span aria-live="polite">{isDone ? t.copied : (label ?? t.copy)}</span>
    </button>
  )
}

/** Browsers have a clipboard on secure origins only, and not for everybody; elsewhere the old way still works. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedBySelection(text)
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}
