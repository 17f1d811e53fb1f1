/** /admin/api/alerts: lists the conditions that need a person, and acknowledges them. */
import { actorOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { AcknowledgementBody, AlertKey, AlertQuery, AlertsAnswer, toAlertsAnswer } from './_alerts.ts'
import { MAX_ROWS } from './_schemas.ts'

export const tag = {
  name: 'Alerts',
  description: 'Conditions that need a person, and their acknowledgements',
}

export class Default extends Endpoint<UsesOwn<'alerts'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: AlertQuery }
  static operationId = { GET: 'listAlerts' }
  static summary = 'List the present alerts, one for each device or address and kind, most urgent first'
  static responses = { GET: AlertsAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ acknowledged, limit, details }: AlertQuery) {
    const { alerts } = this.services
    const listed = await alerts.list({ isAcknowledged: acknowledged, limit: Math.min(limit, MAX_ROWS) })
    return toAlertsAnswer(listed, details ? await alerts.incidentIds() : null)
  }
}

export class Acknowledgement extends Endpoint<UsesOwn<'alerts'>> {
  static access = 'MAN'
  static member = 1
  static positionals = { PUT: [AlertKey], DELETE: [AlertKey] }
  static keywords = { PUT: AcknowledgementBody }
  static operationId = { PUT: 'acknowledgeAlert', DELETE: 'reopenAlert' }
  static summary = {
    PUT: 'Acknowledge an alert for a day, or until it stands for twice as many messages',
    DELETE: 'Open an acknowledged alert again',
  }
  static responses = { PUT: { 204: null }, DELETE: { 204: null } }
  static errors = {
    PUT: ['unknown-alert', ...STORAGE_ERRORS],
    DELETE: ['unknown-alert', ...STORAGE_ERRORS],
  }

  async PUT(key: string, { note }: AcknowledgementBody) {
    await this.services.alerts.acknowledge(key, note ?? null, actorOf(this.call))
  }

  async DELETE(key: string) {
    await this.services.alerts.reopen(key, actorOf(this.call))
  }
}
