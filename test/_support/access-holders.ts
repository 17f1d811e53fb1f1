/**
 * Events that end access, and the holders of access, for a test that tries each event on each holder. A holder is
 * opened on one node; the event happens on another node, if there are two.
 */
import type { BrokerUnderTest } from './broker.ts'
import { PASSWORD } from './clients.ts'
import { addKey } from './credentials.ts'
import { tokenOf } from './rest.ts'

export interface Nodes {
  readonly there: BrokerUnderTest
  readonly here: BrokerUnderTest
}

/** Client with a credential, created for one test. */
export interface Subject {
  readonly clientId: number
  readonly deviceId: string
  /** Device that the client may act for, in addition to its own. */
  readonly behind: string
  /** Token, API key, or password. */
  readonly credential: string
  readonly keyId: number
}

export const CREDENTIALS = ['token', 'key'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** Event, with its effect on each holder of a credential. */
export interface Event {
  readonly name: string
  make(nodes: Nodes, subject: Subject): Promise<{ readonly status: number }>
  /** Status of a poll wait that ends, by credential; null if it continues. */
  readonly poll: Readonly<Record<Credential, 401 | 403 | null>>
  /** Status of a wait for a status; 200 is the current status, because the new role may still see it. */
  readonly status: Readonly<Record<Credential, 401 | 404 | 200 | null>>
  /** True for a credential whose connections end. */
  readonly connection: Readonly<Record<Credential, boolean>>
}

const client = ({ clientId }: Subject): string => `/admin/api/clients/${clientId}`
const both = <T>(each: T): Readonly<Record<Credential, T>> => ({ token: each, key: each })

export const EVENTS: readonly Event[] = [
  {
    name: 'client deleted',
    make: ({ here }, subject) => here.rest.delete(client(subject)),
    ...{ poll: both(401), status: both(401), connection: both(true) },
  },
  {
    name: 'new password',
    make: ({ here }, subject) => here.rest.put(client(subject), { password: 'another' }),
    ...{ poll: { token: 401, key: null }, status: { token: 401, key: null } },
    connection: { token: true, key: false },
  },
  {
    name: 'new device id',
    make: ({ here }, subject) => here.rest.put(client(subject), { deviseId: `${subject.deviceId}-new` }),
    ...{ poll: both(401), status: both(401), connection: both(true) },
  },
  {
    name: 'new role READER',
    make: ({ here }, subject) => here.rest.put(client(subject), { role: 'READER' }),
    ...{ poll: { token: 401, key: 403 }, status: { token: 401, key: 200 }, connection: both(true) },
  },
  {
    name: 'key deleted',
    make: ({ here }, subject) => here.rest.delete(`${client(subject)}/keys/${subject.keyId}`),
    ...{ poll: { token: null, key: 401 }, status: { token: null, key: 401 } },
    connection: { token: false, key: true },
  },
]

let made = 0

/** Creates a client for a test, with a credential that both nodes know. */
export async function newSubject(
  { here, there }: Nodes,
  kind: Credential,
  role = 'DEVISE',
): Promise<Subject> {
  const deviceId = `lamp-${++made}`
  const behind = `${deviceId}-behind`
  const created = await here.rest.post('/admin/api/clients', {
    ...{ deviseId: deviceId, password: PASSWORD, role, devices: [behind], ownQueueOnly: true },
  })
  if (created.status !== 201) throw new Error(`no client was created: ${created.text}`)
  const { id: clientId } = created.body as { id: number }
  const { key, id: keyId } = await addKey(here, deviceId)
  const credential = kind === 'key' ? key : await tokenOf(there.server.url, deviceId, PASSWORD)
  return { clientId, deviceId, behind, credential, keyId }
}
