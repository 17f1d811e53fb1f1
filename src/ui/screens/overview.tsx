/** Shows the state of the server at a glance: figures, problems that need attention, and charts. */
import { CircleX, Gauge, Hourglass, type LucideIcon, Wifi } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { components } from '../../client/index.ts'
import { Chart } from '../parts/chart.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Ago, Time } from '../parts/time.tsx'
import { nowMs } from '../state/clock.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { call } from '../state/session.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { NeedsAttention } from './attention.tsx'
import { FirstDay } from './first-steps.tsx'

type Overview = components['schemas']['Overview']

const DAY_MS = 86_400_000

export function OverviewScreen() {
  const frame = useTexts('shell')
  const overview = useResource(
    'overview',
    () => call((api) => api.GET('/admin/api/overview', { params: { query: { details: true } } })),
    () => true,
  )
  // A rate falls without any live event.
  const now = nowMs.value
  useEffect(() => {
    if (overview.value) overview.reload()
  }, [now])
  return (
    <>
      <Heading title={frame.overview} />
      <Loaded from={overview}>
        {(value) => (
          <>
            <FirstDay>
              <Figures {...value} />
            </FirstDay>
            <NeedsAttention />
            <Charts {...value} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Figures({ devices, connections, waiting, oldestWaiting, failed, perMinute }: Overview) {
  const t = useTexts('overview')
  // Each kind of failure has a text of the same name.
  const kinds = Object.keys(failed) as (keyof typeof failed)[]
  const failures = kinds.reduce((sum, kind) => sum + failed[kind], 0)
  return (
    <div class="figures">
      <Figure icon={Wifi} name={t.online} value={devices.online} link={links.devices()}>
        {t.seenInHour(devices.seenInHour)}
      </Figure>
      <Figure
        icon={Hourglass}
        name={t.waiting}
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
        value={failures}
        tone={failures > 0 ? 'bad' : ''}
        link={links.messages({ status: 'COMPLETED_WITH_ERROR', from: String(nowMs.peek() - DAY_MS) })}
      >
        {kinds
          .filter((kind) => failed[kind] > 0)
          .map((kind) => t[kind](failed[kind]))
          .join(' · ') || t.nothingFailed}
      </Figure>
      <Figure icon={Gauge} name={t.rate} value={perMinute} link={links.messages()}>
        {t.connections(connections)}
      </Figure>
    </div>
  )
}

interface FigureProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly value: number
  readonly link: string
  readonly tone?: string
  readonly children: ComponentChildren
}

function Figure({ icon: Icon, name, value, link, tone = '', children }: FigureProps) {
  const locale = useLocale()
  return (
    <div class={`card figure ${tone}`}>
      <a href={link}>
        <Icon size={16} aria-hidden="true" /> {name}
      </a>
      <strong>{new Intl.NumberFormat(locale).format(value)}</strong>
      <small>{children}</small>
    </div>
  )
}

function Charts({ minutes, hours, since }: Overview) {
  const t = useTexts('overview')
  return (
    <>
      <div class="charts">
        <Chart title={t.hour} series={minutes} />
        <Chart title={t.day} series={hours} />
      </div>
      {since > nowMs.value - DAY_MS && (
        <p class="muted footnote">
          {t.since} <Time at={since} />
        </p>
      )}
    </>
  )
}
