/** Shows the messages of one device over the last day or another range, with a choice of the range. */
import { useState } from 'preact/hooks'
import { useEachTick } from '../state/clock.ts'
import type { Query } from '../state/location.ts'
import { rangeOf, rangeQuery } from '../state/range.ts'
import { useStatistics } from '../state/statistics.ts'
import { LazyCharts } from './charts.tsx'
import { Loaded } from './loaded.tsx'
import { TimeRange } from './time-range.tsx'

export function DeviceChart({ deviceId }: { deviceId: string }) {
  const [query, setQuery] = useState<Query>({})
  const statistics = useStatistics(rangeOf(query, Date.now(), '24h'), deviceId)
  useEachTick(statistics.reload)
  return (
    <div class="device-chart">
      <TimeRange query={query} standard="24h" onChange={setQuery} />
      <div class="charts-place">
        <Loaded from={statistics}>
          {(value) => (
            <LazyCharts
              statistics={value}
              onRange={(fromMs, toMs) => setQuery(rangeQuery({ name: null, fromMs, toMs }))}
            />
          )}
        </Loaded>
      </div>
    </div>
  )
}
