/** Shows the state of the server at a glance: figures, problems that need attention, and charts. */
import { useEffect, useRef } from 'preact/hooks'
import { LazyCharts } from '../parts/charts.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { TimeRange } from '../parts/time-range.tsx'
import { nowMs } from '../state/clock.ts'
import { linkTo, navigate, type Query, query } from '../state/location.ts'
import { rangeOf, rangeQuery } from '../state/range.ts'
import { useResource } from '../state/resource.ts'
import { call } from '../state/session.ts'
import { useStatistics } from '../state/statistics.ts'
import { useTexts } from '../texts/texts.ts'
import { NeedsAttention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { FirstDay } from './first-steps.tsx'

const STANDARD = '24h'

export function OverviewScreen() {
  const frame = useTexts('shell')
  const overview = useResource(
    'overview',
    () => call((api) => api.GET('/admin/api/overview', { params: { query: { details: true } } })),
    () => true,
  )
  const range = rangeOf(query.value, nowMs.peek(), STANDARD)
  const statistics = useStatistics(range)
  // The figures of the previous range stay until the new figures arrive.
  const last = useRef(statistics.value)
  last.current = statistics.value ?? last.current
  const value = last.current
  // A rate falls without any live event.
  const now = nowMs.value
  useEffect(() => {
    if (overview.value) overview.reload()
    if (statistics.value) statistics.reload()
  }, [now])
  const setRange = (change: Query): void => navigate(linkTo('/', { ...query.peek(), ...change }))
  return (
    <>
      <Heading
        title={frame.overview}
        actions={<TimeRange query={query.value} standard={STANDARD} onChange={setRange} />}
      />
      <Loaded from={overview}>
        {(state) => (
          <>
            <div class="figures-place">
              <FirstDay>{value && <Figures overview={state} statistics={value} range={range} />}</FirstDay>
            </div>
            <NeedsAttention />
          </>
        )}
      </Loaded>
      <div class={statistics.value ? 'charts-place' : 'charts-place dimmed'}>
        <Loaded from={{ ...statistics, value }}>
          {(shown) => (
            <LazyCharts
              statistics={shown}
              onRange={(fromMs, toMs) => setRange(rangeQuery({ name: null, fromMs, toMs }))}
            />
          )}
        </Loaded>
      </div>
    </>
  )
}
