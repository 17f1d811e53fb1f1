/** Shows figures of a range. Each links to a list with the same number. */
import { CircleX, Hourglass, type LucideIcon, Send, Wifi } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import type { components } from '../../client/index.ts'
import { useNumberText } from '../parts/numbers.ts'
import { Ago } from '../parts/time.tsx'
import { messageChange } from '../state/live.ts'
import { links, linkTo } from '../state/location.ts'
import type { Range } from '../state/range.ts'
import { useResource } from '../state/resource.ts'
import { call } from '../state/session.ts'
import { type Statistics, sumOf } from '../state/statistics.ts'
import { useTexts } from '../texts/texts.ts'

type Overview = components['schemas']['Overview']

interface FiguresProps {
  readonly overview: Overview
  readonly statistics: Statistics
  readonly range: Range
}

export function Figures({ overview, statistics, range }: FiguresProps) {
  const t = useTexts('figures')
  const { waiting, oldestWaiting, perMinute } = overview
  const [failed, stored] = [sumOf(statistics.failed), sumOf(statistics.stored)]
  const bounds = boundsOf(statistics, range)
  const counts = useDeviceCounts()
  const unsent = useUnsent(bounds)
  const number = useNumberText()
  return (
    <div class="figures">
      <Figure
        icon={Wifi}
        name={t.online}
        value={counts.value?.online}
        link={linkTo('/devices', { state: 'ONLINE' })}
      >
        {counts.value && t.ofAll(counts.value.all)}
      </Figure>
      <Figure
        icon={Hourglass}
        name={t.pending}
        value={waiting}
        link={links.messages({ status: 'NOT_DELIVERED' })}
      >
        {oldestWaiting ? (
          <>
            {t.oldest}{' '}
            <a href={links.message(oldestWaiting.id)}>
              <Ago at={oldestWaiting.date} />
            </a>
          </>
        ) : (
          t.nonePending
        )}
      </Figure>
      <Figure
        icon={CircleX}
        name={t.failed}
        value={failed}
        tone={failed > 0 ? 'bad' : ''}
        link={links.messages({ outcome: 'FAILED', ...bounds })}
      >
        {failed === 0 ? t.nothingFailed : unsent.value && t.unsent(unsent.value.count)}
      </Figure>
      <Figure icon={Send} name={t.sent} value={stored} link={links.messages(bounds)}>
        {t.rate({ count: number(perMinute) })}
      </Figure>
    </div>
  )
}

interface FigureProps {
  readonly icon: LucideIcon
  readonly name: string
  /** Undefined until it was read. */
  readonly value: number | undefined
  readonly link: string
  readonly tone?: string
  readonly children: ComponentChildren
}

function Figure({ icon: Icon, name, value, link, tone = '', children }: FigureProps) {
  const number = useNumberText()
  return (
    <div class={`card figure ${tone}`}>
      <a href={link}>
        <Icon size={16} aria-hidden="true" /> {name}
      </a>
      <strong>{value === undefined ? '…' : number(value)}</strong>
      <small>{children}</small>
    </div>
  )
}

/** Returns the bounds of a list with the numbers of the statistics, which begin with a whole step. */
function boundsOf({ fromDate }: Statistics, { toMs }: Range): { readonly from: string; readonly to: string } {
  return { from: String(fromDate), to: toMs === null ? '' : String(toMs) }
}

function useDeviceCounts() {
  return useResource(
    'device-counts',
    () => call((api) => api.GET('/admin/api/devices/counts')),
    ({ event }) => event === 'connection',
  )
}

/** Counts the failures of a range that were not sent again. */
function useUnsent({ from, to }: { readonly from: string; readonly to: string }) {
  return useResource(
    `unsent/${from}/${to}`,
    () => {
      const query = {
        ...({ outcome: 'FAILED', resent: false } as const),
        changedFrom: Number(from),
        ...(to !== '' && { changedTo: Number(to) }),
      }
      return call((api) => api.GET('/admin/api/messages/count', { params: { query } }))
    },
    (event) => messageChange(event) !== null,
  )
}
