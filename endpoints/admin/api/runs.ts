/** /admin/api/runs: lists the runs of the servers, from start to end. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { RunAnswer, RunsQuery, toRange, toRunAnswer } from './_presence.ts'
import { MAX_ROWS } from './_schemas.ts'

export const tag = { name: 'Runs', description: 'Server processes, from start to end' }

export class Default extends Endpoint<UsesOwn<'presence'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: RunsQuery }
  static operationId = { GET: 'listRuns' }
  static summary = 'List the runs of the servers, newest first'
  static responses = { GET: Type.Array(RunAnswer) }
  static errors = { GET: ['bad-range', ...STORAGE_ERRORS] }

  async GET({ limit, ...query }: RunsQuery) {
    const { presence } = this.services
    const { fromMs, toMs } = toRange(query, presence.nowMs())
    return (await presence.runs(fromMs, toMs, Math.min(limit, MAX_ROWS))).map(toRunAnswer)
  }
}
