/** Downloads a backup and shows its progress. */
import { Download } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { bytesText } from '../parts/bytes.ts'
import { Loaded } from '../parts/loaded.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { useResource } from '../state/resource.ts'
import { downloadBackup, loadSystem } from '../state/system.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

interface Progress {
  readonly bytes: number
  readonly isDone: boolean
}

export function BackupTab() {
  const t = useTexts('system')
  const system = useResource('system', loadSystem)
  return (
    <>
      <Loaded from={system}>{({ storage }) => <Backup databaseBytes={storage.databaseBytes} />}</Loaded>
      <div class="card snippet">
        <h2>{t.restore}</h2>
        <p>{t.restoreHint}</p>
        <pre>waybill db restore waybill-….db --data-dir DIRECTORY</pre>
      </div>
    </>
  )
}

/** @param databaseBytes size of the database, which estimates the size of the backup */
export function Backup({ databaseBytes }: { databaseBytes: number }) {
  const t = useTexts('system')
  const textOf = useProblemText()
  const locale = useLocale()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  async function start(): Promise<void> {
    stop.current = new AbortController()
    const { signal } = stop.current
    setProblem(null)
    setProgress({ bytes: 0, isDone: false })
    try {
      await downloadBackup((bytes) => setProgress({ bytes, isDone: false }), signal)
      setProgress((before) => before && { ...before, isDone: true })
    } catch (error) {
      setProgress(null)
      if (!signal.aborted) setProblem(textFor(error))
    }
  }
  function textFor(error: unknown): string {
    const { status, message } = error instanceof RequestError ? error : { status: 0, message: '' }
    if (status === 409) return t.running
    return status === 503 && /room/.test(message) ? t.noRoom : textOf(error)
  }

  const isRunning = progress !== null && !progress.isDone
  const bytes = bytesText(progress?.bytes ?? 0, locale)
  return (
    <div class="card">
      <h2>{t.backup}</h2>
      <p>{t.backupHint}</p>
      <p role="alert" class="problem">
        {problem}
      </p>
      {isRunning && (
        <progress
          aria-label={t.backup}
          max={databaseBytes}
          {...(progress.bytes > 0 && { value: Math.min(progress.bytes, databaseBytes) })}
        />
      )}
      <p class="actions" aria-live="polite">
        {isRunning ? (
          <>
            <button type="button" class="quiet" onClick={() => stop.current?.abort()}>
              {t.stop}
            </button>
            <span class="muted">{progress.bytes === 0 ? t.preparing : t.coming({ bytes })}</span>
          </>
        ) : (
          <>
            <button type="button" onClick={() => void start()}>
              <Download size={15} aria-hidden="true" /> {t.download}
            </button>
            {progress?.isDone && <span class="muted">{t.done({ bytes })}</span>}
          </>
        )}
      </p>
    </div>
  )
}
