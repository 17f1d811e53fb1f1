/** Creates the metrics of prom-client from the table of metrics. Counts nothing. */
import { Counter, Gauge, type Metric as PromMetric, Registry, type RegistryContentType } from 'prom-client'
import type { Durations } from '../broker/vocabulary/durations.ts'
import { processMetrics } from './process-metrics.ts'
import type { MetricSources } from './sources.ts'
import { type HistogramMetric, METRICS, type Metric, type NumberMetric, type Sample } from './table.ts'

type Labels = Readonly<Record<string, string>>

/**
 * Creates a registry with all metrics, which read their values at each scrape. prom-client renames counters for
 * OpenMetrics, so each format needs its own registry.
 */
export function newRegistry(isOpenMetrics: boolean, sources: MetricSources): Registry<RegistryContentType> {
  const registry = new Registry<RegistryContentType>()
  const type = isOpenMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE
  registry.setContentType(type)
  for (const metric of METRICS) registry.registerMetric(toPromMetric(metric, sources))
  for (const metric of processMetrics(type)) registry.registerMetric(metric)
  return registry
}

function toPromMetric(metric: Metric, sources: MetricSources): PromMetric {
  const { name, help, labels } = metric
  const options = { name, help, labelNames: labels, registers: [] }
  switch (metric.type) {
    case 'histogram':
      return toHistogram(metric, sources)
    case 'counter': {
      const counter = new Counter(options)
      return collecting(counter, metric, sources, (sample) =>
        counter.inc(labelsOf(labels, sample), sample[0]),
      )
    }
    case 'gauge': {
      const gauge = new Gauge(options)
      return collecting(gauge, metric, sources, (sample) => gauge.set(labelsOf(labels, sample), sample[0]))
    }
  }
}

/**
 * Makes a metric of prom-client read its values at each scrape. If the disk cannot be read, the metric has no value.
 */
function collecting(
  promMetric: PromMetric,
  { read, labels }: NumberMetric,
  sources: MetricSources,
  set: (sample: Sample) => void,
): PromMetric {
  const collect = async (): Promise<void> => {
    let samples: readonly Sample[] = []
    try {
      samples = await read(sources)
    } catch {
      // The storage failure is logged, and the other metrics matter most now.
    }
    promMetric.reset()
    // A reset gives a metric without labels the value 0.
    if (labels.length === 0) promMetric.remove()
    for (const sample of samples) set(sample)
  }
  return Object.assign(promMetric, { collect })
}

/**
 * Returns a histogram in the form that prom-client needs. Its own class would count by itself; this one reads existing
 * counts.
 */
function toHistogram({ name, help, labels, read }: HistogramMetric, sources: MetricSources): PromMetric {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: read(sources).flatMap((sample) => bucketsOf(name, sample[0], labelsOf(labels, sample))),
  })
  return { name, get } as unknown as PromMetric
}

function labelsOf(names: readonly string[], [, ...values]: Sample<unknown>): Labels {
  return Object.fromEntries(names.map((name, i) => [name, values[i] as string]))
}

/** Returns the lines of a histogram: the number of durations up to each bound, their sum and their total number. */
function bucketsOf(name: string, { bounds, counts, sum }: Durations, labels: Labels) {
  let count = 0
  const buckets = counts.map((each, i) => {
    count += each
    const le = i < bounds.length ? bounds[i] : '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
