/** Shows the states of a resource: loading, failed, loaded and empty. */
import { CircleAlert, type LucideIcon, RefreshCw } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { ConnectionError, RequestError } from '../../client/index.ts'
import type { Resource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

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

/** Returns a function that turns an error into text: the page's own for its code, else the server's. */
export function useProblemText(): (error: unknown) => string {
  const t = useTexts('common')
  const textOfCode = useCodeText()
  return (error) => {
    if (error instanceof ConnectionError) return t.unreachable
    if (error instanceof RequestError) return textOfCode(error.code, error.params, error.message)
    return t.failed
  }
}

/** Returns a function that gives the text of an error's code, or `other` for a code without a text. */
export function useCodeText(): (
  code: string | undefined,
  params: RequestError['params'],
  other: string,
) => string {
  const texts: Readonly<Record<string, unknown>> = useTexts('problems')
  return (code, params, other) => {
    const text = code !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined
    if (typeof text === 'string') return text
    const filled = typeof text === 'function' ? (text(params) as string) : other
    return /\{\w+\}/.test(filled) ? other : filled
  }
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
