/** The head of a screen: its name, which is the title of the window too, and its actions. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

interface HeadingProps {
  readonly title: string
  /** In place of the title alone, such as an id with its badge. */
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

export function Heading({ title, children, actions }: HeadingProps) {
  useEffect(() => {
    document.title = `${title} · Waybill`
  }, [title])
  return (
    <div class="heading">
      <h1>{children ?? title}</h1>
      {actions && <div class="actions">{actions}</div>}
    </div>
  )
}
