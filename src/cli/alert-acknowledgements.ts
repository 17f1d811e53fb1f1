/** Joins the alerts of the overview with their acknowledgements, which the server keeps by device or address. */
import { type Client, type components, RequestError } from '../client/index.ts'

type Schemas = components['schemas']
type ListedAlert = Schemas['Alert']

/** Alert of the overview with its acknowledgement; null while the alert is open. */
export type ShownAlert = Schemas['Attention'] & { readonly acknowledged: ListedAlert['acknowledged'] }

/** Kinds that the overview sums up in one alert for all devices. */
const SUMMED: readonly ListedAlert['kind'][] = ['PARKED', 'NOT_FINISHED']
const MAX_ALERTS = 500

/** Returns the alerts with their acknowledgements, open ones first. */
export async function withAcknowledgements(
  client: Client,
  attention: readonly Schemas['Attention'][],
): Promise<ShownAlert[]> {
  const listed = attention.length === 0 ? [] : await listAlerts(client)
  const shown = attention.map((alert) => ({ ...alert, acknowledged: acknowledgementOf(alert, listed) }))
  const isOpen = ({ acknowledged }: ShownAlert): boolean => acknowledged === null
  return [...shown.filter(isOpen), ...shown.filter((alert) => !isOpen(alert))]
}

/** Returns the alerts by device or address. If the server cannot read them, every alert counts as open. */
async function listAlerts(client: Client): Promise<readonly ListedAlert[]> {
  const params = { query: { limit: MAX_ALERTS } }
  try {
    return (await client.call((api) => api.GET('/admin/api/alerts', { params }))).items
  } catch (error) {
    if (error instanceof RequestError && error.status >= 500) return []
    throw error
  }
}

/**
 * Returns the acknowledgement of an alert. An alert for several devices is acknowledged when all of their alerts are.
 */
function acknowledgementOf(alert: Schemas['Attention'], listed: readonly ListedAlert[]) {
  const same = listed.filter(
    (each) =>
      each.kind === alert.kind && (SUMMED.includes(alert.kind) || subjectOf(each) === subjectOf(alert)),
  )
  return same.some(({ acknowledged }) => acknowledged === null) ? null : (same[0]?.acknowledged ?? null)
}

const subjectOf = ({ address, deviseId }: Pick<ListedAlert, 'address' | 'deviseId'>): string | null =>
  address ?? deviseId
