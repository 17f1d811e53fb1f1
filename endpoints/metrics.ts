/** /metrics: serves the metrics to Prometheus and compatible programs. */
import type { UsesOwn } from '../src/services.ts'
import { Endpoint, Reply } from '../src/web/endpoint.ts'
import { Type } from '../src/web/schema.ts'

export const tag = { name: 'Metrics', description: 'Figures for Prometheus and similar programs' }

/** WAYBILL_METRICS_PUBLIC opens the class to callers without a token. */
export class Default extends Endpoint<UsesOwn<'metrics'>> {
  static access = ['MAN', 'READER']
  static headers = ['accept']
  static operationId = { GET: 'getMetrics' }
  static summary = 'Show the metrics as Prometheus text, or as OpenMetrics if Accept prefers it'
  static responses = { GET: Type.String({ contentMediaType: 'text/plain' }) }

  async GET() {
    const { text, type } = await this.services.metrics.text(this.call.headers.accept)
    return new Reply(200, text, { headers: { 'content-type': type, 'cache-control': 'no-store' } })
  }
}
