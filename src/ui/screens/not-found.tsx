/** Where a link leads nowhere. */
import { MapPinOff } from 'lucide-preact'
import { Empty } from '../parts/loaded.tsx'
import { links } from '../state/location.ts'
import { shell } from '../texts/shell.ts'
import { useTexts } from '../texts/texts.ts'

export function NotFound() {
  const t = useTexts(shell)
  return (
    <Empty icon={MapPinOff} title={t.nothingHere}>
      <a href={links.overview()}>{t.toOverview}</a>
    </Empty>
  )
}
