/** Reads the incidents, and changes their states. */
import type { components, LiveEvent } from '../../client/index.ts'
import { isStreamStart } from './live.ts'
import { call, callPage, type Page } from './session.ts'

export type Incident = components['schemas']['Incident']
export type Incidents = components['schemas']['Incidents']
export type IncidentDetail = components['schemas']['IncidentDetail']
export type IncidentMember = components['schemas']['IncidentMember']
export type IncidentHelp = components['schemas']['IncidentHelp']
export type IncidentTab = 'open' | 'muted' | 'history'

/** Incident of the overview, with what is read only for the first ones. */
export interface FirstIncident extends Incident {
  readonly reasons: IncidentDetail['reasons']
  readonly actions: readonly IncidentHelp[]
}

export interface FirstIncidents {
  readonly counts: Omit<Incidents, 'items'>
  readonly items: readonly FirstIncident[]
}

const MAX_INCIDENTS = 500
const MEMBERS = 50

/** Returns whether an event may change incidents. */
export function concernsIncidents(event: LiveEvent): boolean {
  return event.event === 'incident' || isStreamStart(event)
}

/** Returns whether an event may change an incident. */
export function concernsIncident(event: LiveEvent, id: number): boolean {
  return concernsIncidents(event) && (isStreamStart(event) || (event.data as Incident).id === id)
}

/** Returns the first open incidents, with what helps against them. */
export async function loadFirstIncidents(limit: number): Promise<FirstIncidents> {
  const params = { query: { state: 'OPEN' as const, limit } }
  const { items, ...counts } = await call((api) => api.GET('/admin/api/incidents', { params }))
  return { counts, items: await Promise.all(items.map(({ id }) => loadIncident(id))) }
}

/**
 * Returns the incidents of a tab. Open ones include acknowledged ones.
 *
 * @param limit number of incidents that have ended
 */
export async function loadIncidents(tab: IncidentTab, limit: number): Promise<Incidents> {
  const query = {
    open: { limit: MAX_INCIDENTS },
    muted: { state: 'MUTED' as const, limit: MAX_INCIDENTS },
    history: { state: 'ENDED' as const, limit },
  }[tab]
  const found = await call((api) => api.GET('/admin/api/incidents', { params: { query } }))
  return tab === 'open' ? { ...found, items: found.items.filter(({ state }) => state !== 'MUTED') } : found
}

export function loadIncident(id: number): Promise<IncidentDetail> {
  return call((api) => api.GET('/admin/api/incidents/{id}', { params: { path: { id } } }))
}

/** Returns members in the order of their keys. @param atLeast minimum number of members to read, if they exist */
export async function loadMembers(id: number, atLeast: number): Promise<Page<IncidentMember>> {
  const items: IncidentMember[] = []
  let next: Page<never>['next'] = {}
  while (next !== null && items.length < atLeast) {
    const params = { path: { id }, query: { ...next, limit: MEMBERS } }
    const page: Page<IncidentMember> = await callPage((api) =>
      api.GET('/admin/api/incidents/{id}/members', { params }),
    )
    items.push(...page.items)
    next = page.next
  }
  return { items, next }
}

/** Change of incidents by a person. */
export type IncidentChange =
  | { readonly is: 'acknowledge'; readonly note: string | null }
  | { readonly is: 'mute'; readonly untilDate: number; readonly note: string | null }
  | { readonly is: 'reopen' }
  | { readonly is: 'resolve'; readonly note: string }

/** Changes incidents. Those that have ended meanwhile stay as they are. @returns the number of those that changed */
export async function changeIncidents(ids: readonly number[], change: IncidentChange): Promise<number> {
  const { is, ...values } = change
  const body = { ids: [...ids], ...values }
  const { changed } = await call((api) => {
    switch (is) {
      case 'acknowledge':
        return api.POST('/admin/api/incidents/acknowledge', { body })
      case 'mute':
        return api.POST('/admin/api/incidents/mute', { body: body as typeof body & { untilDate: number } })
      case 'reopen':
        return api.POST('/admin/api/incidents/reopen', { body })
      case 'resolve':
        return api.POST('/admin/api/incidents/resolve', { body: body as typeof body & { note: string } })
      default:
        return is satisfies never
    }
  })
  return changed
}

export async function addIncidentNote(id: number, text: string): Promise<void> {
  const params = { path: { id } }
  await call((api) => api.POST('/admin/api/incidents/{id}/notes', { params, body: { text } }))
}

/** Returns what an incident is about: the text behind the colon of its key; empty for a condition of the server. */
export function subjectOf({ key, kind }: Pick<Incident, 'key' | 'kind'>): string {
  return key.slice(kind.length + 1)
}
