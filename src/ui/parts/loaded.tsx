/** The three states of what is read: on its way, not to be had, there. */
import { CircleAlert, type LucideIcon, RefreshCw } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { ConnectionError, RequestError } from '../../client/index.ts'
import type { Resource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

interface LoadedProps<T> {
  readonly from: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** What was read; before that a place-holder. An error stands above what was read earlier. */
export function Loaded<T>({ from: { value, error, reload }, children }: LoadedProps<T>) {
  return (
    <>
      {error && <Problem error={error} onRetry={reload} />}
      {value !== undefined ? children(value) : error === null && <Waiting />}
    </>
  )
}

function Waiting() {
  const t = useTexts('words')
  return (
    <div class="waiting" role="status">
      <span class="visually-hidden">{t.loading}</span>
      <span class="bar" />
      <span class="bar" />
      <span class="bar" />
    </div>
  )
}

/** What went wrong, in words: ours for what everybody meets, else the server's. */
export function useProblemText(): (error: unknown) => string {
  const t = useTexts('words')
  return (error) => {
    if (error instanceof ConnectionError) return t.unreachable
    if (error instanceof RequestError) return error.status === 403 ? t.forbidden : error.message
    return t.failed
  }
}

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTexts('words')
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

/** Nothing is there, and what to do about it. */
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
