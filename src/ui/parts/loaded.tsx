/** Shows the states of a resource: loading, failed, loaded and empty. */
import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { ConnectionError } from '../../client/index.ts'
import { liveState } from '../state/live.ts'
import type { Resource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { Problem } from './problem.tsx'

interface LoadedProps<T> {
  readonly from: Resource<T>
  readonly children: (value: T) => ComponentChildren
  /** Height of the content as a length, so that the following content does not move when the value arrives. */
  readonly height?: string
}

/** Shows the value of a resource, or a placeholder before the first value. An error is shown above the last value. */
export function Loaded<T>({ from: { value, error, reload }, children, height }: LoadedProps<T>) {
  // The bar over the page already says that the server is unreachable.
  const isSaid = value !== undefined && error instanceof ConnectionError && liveState.value !== 'live'
  return (
    <>
      {error && !isSaid && <Problem error={error} onRetry={reload} />}
      {value !== undefined ? children(value) : error === null && <Placeholder height={height} />}
    </>
  )
}

/** Shows that a part of the page is loading. @param height height of the content as a length */
export function Placeholder({ height }: { height?: string | undefined }) {
  const t = useTexts('common')
  return (
    <div class="waiting" role="status" style={height === undefined ? undefined : { minHeight: height }}>
      <span class="visually-hidden">{t.loading}</span>
      <span class="bar" />
      <span class="bar" />
      <span class="bar" />
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
