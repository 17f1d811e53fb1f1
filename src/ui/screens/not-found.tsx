/** Says that a link leads to no screen. */
import { MapPinOff } from 'lucide-preact'
import { Heading } from '../parts/heading.tsx'
import { Empty } from '../parts/loaded.tsx'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

export function NotFound() {
  const t = useTexts('shell')
  return (
    <>
      <Heading title={t.nothingHere} />
      <Empty icon={MapPinOff}>
        <a href={links.overview()}>{t.toOverview}</a>
      </Empty>
    </>
  )
}
