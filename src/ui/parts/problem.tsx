/** Shows an error, with a button that tries again. */
import { CircleAlert, RefreshCw } from 'lucide-preact'
import { useTexts } from '../texts/texts.ts'
import { useProblemText } from './problem-text.ts'

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTexts('common')
  const textOf = useProblemText()
  return (
    <div class="notice bad" role="alert">
      <CircleAlert size={18} aria-hidden="true" />
      <span>{textOf(error)}</span>
      {onRetry && (
        <button type="button" class="small quiet" onClick={onRetry}>
          <RefreshCw size={14} aria-hidden="true" /> {t.retry}
        </button>
      )}
    </div>
  )
}
