/** Formats the metrics as text, with prom-client: Prometheus 0.0.4 or OpenMetrics 1.0. Counts nothing. */
import type { Registry, RegistryContentType } from 'prom-client'
import type { MetricSources } from './sources.ts'

export interface MetricsText {
  readonly type: string
  readonly text: string
}

export class Exposition {
  readonly #sources: MetricSources
  readonly #registries = new Map<boolean, Promise<Registry<RegistryContentType>>>()

  constructor(sources: MetricSources) {
    this.#sources = sources
  }

  /** Returns the current values. @param accept Accept header of the request */
  async text(accept: string | undefined): Promise<MetricsText> {
    const registry = await this.#registry(prefersOpenMetrics(accept))
    return { type: registry.contentType, text: await registry.metrics() }
  }

  #registry(isOpenMetrics: boolean): Promise<Registry<RegistryContentType>> {
    let registry = this.#registries.get(isOpenMetrics)
    if (registry) return registry
    // The first scrape loads prom-client, which takes 2.5 MB of heap. A server without scrapes never needs it.
    registry = import('./registry.ts').then(({ newRegistry }) => newRegistry(isOpenMetrics, this.#sources))
    this.#registries.set(isOpenMetrics, registry)
    return registry
  }
}

/** Returns whether a client accepts OpenMetrics and does not prefer plain text. */
function prefersOpenMetrics(accept = ''): boolean {
  const quality = (type: string): number => {
    const ranges = accept.split(',').filter((range) => range.split(';', 1)[0]?.trim().toLowerCase() === type)
    return Math.max(0, ...ranges.map((range) => Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1)))
  }
  const openMetrics = quality('application/openmetrics-text')
  return openMetrics > 0 && openMetrics >= quality('text/plain')
}
