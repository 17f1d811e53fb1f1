/** Shows what changed since a time, for the next shift, and copies it as a text. Loads when it is opened. */
import '../style/handover.css'
import { RefreshCw, UserX } from 'lucide-preact'
import { CopyButton } from '../parts/copy-button.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Handover, type HandoverPart, loadHandover, SINCE } from '../state/handover.ts'
import { links, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'

export function HandoverScreen() {
  const frame = useTexts('shell')
  const t = useTexts('handover')
  const language = useLanguage()
  const since = SINCE.find((each) => each === query.value.since) ?? 'evening'
  const handover = useResource(`handover/${since}/${language}`, () => loadHandover(since, language))
  const { value, reload } = handover
  return (
    <>
      <Heading
        title={frame.handover}
        actions={
          <>
            {value && <CopyButton text={value.text} label={t.copy} />}
            <button type="button" class="small quiet" onClick={reload}>
              <RefreshCw size={14} aria-hidden="true" /> {t.reload}
            </button>
          </>
        }
      />
      <Tabs
        label={t.since}
        tabs={SINCE.map((each) => ({
          link: links.handover(each === 'evening' ? {} : { since: each }),
          text: t[each],
          isCurrent: each === since,
        }))}
      />
      <Loaded from={handover}>
        {(each) => (each === null ? <NeverLeft /> : <Report handover={each} />)}
      </Loaded>
    </>
  )
}

function NeverLeft() {
  const t = useTexts('handover')
  return (
    <Empty icon={UserX} title={t.neverLeft}>
      <p>{t.neverLeftHint}</p>
    </Empty>
  )
}

/** Places that list all of a part, in the order of the parts. */
const PLACES: readonly (() => string)[] = [
  () => links.incidents(),
  () => links.messages({ outcome: 'FAILED' }),
  () => links.devices(),
  () => links.devices({ with: 'SERVICE' }),
  () => links.system('audit'),
  () => links.system(),
  () => links.overview(),
]

function Report({ handover: { title, parts } }: { readonly handover: Handover }) {
  return (
    <>
      <p class="lead">{title}</p>
      <div class="handover">
        {parts.map((part, at) => (
          <Part key={part.name} part={part} place={PLACES[at]?.() ?? links.overview()} />
        ))}
      </div>
    </>
  )
}

function Part({
  part: { name, numbers, items },
  place,
}: {
  readonly part: HandoverPart
  readonly place: string
}) {
  return (
    <section class="card">
      <h2>
        <a href={place}>{name}</a>
      </h2>
      {numbers !== '' && <p class="muted">{numbers}</p>}
      {items.length > 0 && (
        <ul>
          {items.map((item, at) => (
            <li key={`${at} ${item}`}>{item}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
