/** Keeps the place of the page in the hash of its URL, `#/path?query`. A hash never reaches the server. */
import { computed, signal } from '@preact/signals'
import { changeEntry } from './history.ts'
import type { Query } from './query.ts'

export type { Query }

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  changeEntry()
  hash.value = location.hash
})

/** Path in the hash, percent-encoded. */
export const path = computed(() => hash.value.slice(1).split('?', 1)[0] || '/')

export const query = computed<Query>(() => {
  const at = hash.value.indexOf('?')
  return at < 0 ? {} : Object.fromEntries(new URLSearchParams(hash.value.slice(at + 1)))
})

/** Decodes a segment of the path. A segment with an invalid percent-encoding, as typed by hand, stays unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Returns the `href` of a place. The query omits empty values. */
export function linkTo(to: string, values: Query = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== '')
  return given.length === 0 ? `#${to}` : `#${to}?${new URLSearchParams(given)}`
}

/** Goes to a place. @param replace replaces the current entry of the browser's history */
export function navigate(link: string, { replace = false } = {}): void {
  if (!replace) location.hash = link
  else {
    history.replaceState(history.state, '', link)
    hash.value = location.hash
  }
}

export const links = {
  overview: (): string => linkTo('/'),
  devices: (values: Query = {}): string => linkTo('/devices', values),
  device: (id: string): string => linkTo(`/devices/${encodeURIComponent(id)}`),
  messages: (values: Query = {}): string => linkTo('/messages', values),
  message: (id: number): string => linkTo(`/messages/${id}`),
  send: (values: Query = {}): string => linkTo('/send', values),
  /** Sends to one or several devices. No id has a line break. */
  sendTo: (ids: readonly string[]): string => links.send({ deviseIds: ids.join('\n') }),
  /** Lists incidents: the open ones, or those of another tab. */
  incidents: (tab: '' | 'muted' | 'history' = ''): string =>
    linkTo(tab === '' ? '/incidents' : `/incidents/${tab}`),
  handover: (values: Query = {}): string => linkTo('/handover', values),
  incident: (id: number): string => linkTo(`/incidents/${id}`),
  templates: (): string => linkTo('/templates'),
  /** Opens a new template with the content of a message. */
  newTemplate: (messageId: number): string => linkTo('/templates', { messageId: String(messageId) }),
  access: (tab: 'people' | 'devices' = 'people'): string => linkTo(`/access/${tab}`),
  connections: (values: Query = {}): string => linkTo('/connections', values),
  refusals: (): string => linkTo('/connections/refused'),
  api: (): string => linkTo('/api'),
  system: (tab: '' | 'settings' | 'backup' | 'audit' = '', values: Query = {}): string =>
    linkTo(tab === '' ? '/system' : `/system/${tab}`, values),
}
