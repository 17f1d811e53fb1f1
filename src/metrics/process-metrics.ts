/** Selects the metrics of the process that prom-client provides. They are common to all servers of the process. */
import { collectDefaultMetrics, type Metric, Registry, type RegistryContentType } from 'prom-client'

const SELECTED = /^(?:process_|nodejs_eventloop_lag_)/

const registries = new Map<RegistryContentType, Registry<RegistryContentType>>()

/**
 * Returns the metrics of the process for one text format. prom-client renames counters for OpenMetrics, so each format has
 * metrics of its own. They are made by the first call, since each set measures the event loop from then on.
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
