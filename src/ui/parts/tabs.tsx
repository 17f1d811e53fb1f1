/** Shows the tabs of a screen as links, so that each has an address. */

import { useLocale } from '../texts/texts.ts'
import { numberText } from './numbers.ts'

export interface Tab {
  readonly link: string
  readonly text: string
  readonly count?: number | undefined
  readonly isCurrent: boolean
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const locale = useLocale()
  return (
    <ul class="screen-tabs" aria-label={label}>
      {tabs.map(({ link, text, count, isCurrent }) => (
        <li key={link}>
          <a href={link} aria-current={isCurrent ? 'page' : undefined}>
            {text} {count !== undefined && <b>{numberText(count, locale)}</b>}
          </a>
        </li>
      ))}
    </ul>
  )
}
