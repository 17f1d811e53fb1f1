/** /admin/api/incident-rules: the thresholds of incidents. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { RuleAnswer, RulesBody, toRules } from './_incidents.ts'

export { tag } from './incidents.ts'

export class Default extends Endpoint<UsesOwn<'incidents'>> {
  static access = { GET: ['MAN', 'READER'], PUT: 'MAN' }
  static keywords = { PUT: RulesBody }
  static operationId = { GET: 'listIncidentRules', PUT: 'replaceIncidentRules' }
  static summary = {
    GET: 'List the thresholds of incidents, one row for each kind of alert',
    PUT: 'Replace the thresholds of incidents; a kind that is left out has its defaults',
  }
  static responses = { GET: Type.Array(RuleAnswer), PUT: Type.Array(RuleAnswer) }
  static errors = { GET: STORAGE_ERRORS, PUT: ['bad-rule', ...STORAGE_ERRORS] }

  GET() {
    return this.services.incidents.rules()
  }

  PUT({ ...body }: RulesBody) {
    return this.services.incidents.setRules(toRules(body), actorOf(this.call))
  }
}
