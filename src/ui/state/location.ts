/** Where the page is: `#/path?query`. The hash never reaches the server. Knows no screen. */
import { computed, signal } from '@preact/signals'

export type Query = Readonly<Record<string, string>>

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** Still percent-encoded. */
export const path = computed(() => hash.value.slice(1).split('?', 1)[0] || '/')

export const query = computed<Query>(() => {
  const at = hash.value.indexOf('?')
  return at < 0 ? {} : Object.fromEntries(new URLSearchParams(hash.value.slice(at + 1)))
})

/** A part of the path as it was before `encodeURIComponent`; one that nobody encoded as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What goes into `href`. Empty values are left out of the query. */
export function linkTo(to: string, values: Query = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== '')
  return given.length === 0 ? `#${to}` : `#${to}?${new URLSearchParams(given)}`
}

/** @param replace the step back leads to the place before this one */
export function go(link: string, { replace = false } = {}): void {
  if (!replace) location.hash = link
  else {
    history.replaceState(null, '', link)
    hash.value = location.hash
  }
}

export const links = {
  overview: (): string => linkTo('/'),
  devices: (search = ''): string => linkTo('/devices', { search }),
  device: (id: string): string => linkTo(`/devices/${encodeURIComponent(id)}`),
  messages: (values: Query = {}): string => linkTo('/messages', values),
  message: (id: number): string => linkTo(`/messages/${id}`),
  send: (values: Query = {}): string => linkTo('/send', values),
  templates: (): string => linkTo('/templates'),
  clients: (): string => linkTo('/clients'),
  connections: (): string => linkTo('/connections'),
  api: (): string => linkTo('/api'),
  system: (): string => linkTo('/system'),
}
