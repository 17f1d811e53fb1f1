/** Shows the heading of a screen with its actions, and sets the title of the window. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

interface HeadingProps {
  readonly title: string
  /** Content of the heading. Default: the title. */
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

export function Heading({ title, children, actions }: HeadingProps) {
  useEffect(() => {
    document.title = `${title} · Waybill`
  }, [title])
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{children ?? title}</h1>
      {actions && <div class="actions">{actions}</div>}
    </div>
  )
}
