/** Shows the states of a resource: loading, failed, loaded and empty. */
import { CircleAlert, type LucideIcon, RefreshCw } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import type { Resource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { useProblemText } from './problem-text.ts'

export { useCodeText, useProblemText } from './problem-text.ts'

interface LoadedProps<T> {
  readonly from: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** Shows the value of a resource, or a placeholder until there is one. An error is shown above the last value. */
export function Loaded<T>({ from: { value, error, reload }, children }: LoadedProps<T>) {
  return (
    <>
      {error && <Problem error={error} onRetry={reload} />}
      {value !== undefined ? children(value) : error === null && <Placeholder />}
    </>
  )
}

function Placeholder() {
  const t = useTexts('common')
  return (
    <div class="waiting" role="status">
      <span class="visually-hidden">{t.loading}</span>
      <span class="bar" />
      <span class="bar" />
      <span class="bar" />
    </div>
  )
}

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

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title?: string
  readonly children?: ComponentChildren
}

/** Says that a list is empty, and what to do about it. */
export function Empty({ icon: Icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon size={32} aria-hidden="true" />
      {title !== undefined && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {children}
    </div>
  )
}
