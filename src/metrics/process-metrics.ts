/** Selects the process metrics of prom-client. All servers of the process share them. */
import { collectDefaultMetrics, type Metric, Registry, type RegistryContentType } from 'prom-client'

const SELECTED = /^(?:process_|nodejs_eventloop_lag_)/

const registries = new Map<RegistryContentType, Registry<RegistryContentType>>()

/**
 * Returns the metrics of the process for one text format. prom-client renames counters for OpenMetrics, so each format
 * has its own metrics. They are created at the first call, because each set measures the event loop from then on.
 */
export function processMetrics(format: RegistryContentType): readonly Metric[] {
  let registry = registries.get(format)
  if (!registry) {
    registry = new Registry<RegistryContentType>()
    registry.setContentType(format)
    collectDefaultMetrics({ register: registry as Registry })
    registries.set(format, registry)
  }
  const found = registry.getMetricsAsArray() as unknown as (Metric & { readonly name: string })[]
  return found.filter(({ name }) => SELECTED.test(name))
}
