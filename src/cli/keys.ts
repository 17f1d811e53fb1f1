/** `waybill key`: adds, lists and removes API keys, with which programs log in. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Client, components } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamplesTo } from '../runner/examples.ts'
import { type Output, type Remote, remote } from './remote.ts'
import type { Column } from './table.ts'
import { date, localTime } from './times.ts'

type ClientRecord = components['schemas']['Client']
type ApiKey = components['schemas']['ApiKey']

interface AddFlags {
  readonly description?: string
  readonly expires?: number
}

interface RemoveFlags {
  readonly client?: string
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'CREATED', cell: ({ createdDate }) => localTime(createdDate) },
  { heading: 'LAST USED', cell: ({ lastUsedDate }) => timeOrNone(lastUsedDate) },
  { heading: 'EXPIRES', cell: ({ expiresDate }) => timeOrNone(expiresDate) },
  { heading: 'DESCRIPTION', cell: ({ description }) => description, isLong: true },
]

const timeOrNone = (atMs: number | null): string => (atMs === null ? '-' : localTime(atMs))

export function addKeys(program: Command, output: Output): void {
  const keys = program.command('key').description('add, list and remove API keys, with which programs log in')
  remote<AddFlags>(
    keys
      .command('add <client>')
      .description('add a key with the rights of a client, and print it; no other command shows it again')
      .option('--description <text>', 'description for admins')
      .option('--expires <date>', 'time from which on the key is invalid, such as 2030-01-31', futureDate),
    output,
    add,
  )
  remote(
    keys.command('list <client>').description('list the keys of a client'),
    output,
    async ({ client, list }, name) => {
      const { id } = await findClient(client, name as string)
      await list(await keysOf(client, id), COLUMNS, `the client "${name}" has no key`)
    },
  )
  remote<RemoveFlags>(
    keys
      .command('remove <id>')
      .description('remove a key and end its connections at once')
      .option('--client <client>', 'client of the key; without it, all clients are searched'),
    output,
    remove,
  )
  addExamplesTo(keys, {
    add: ['key add shop --description "web shop"', 'key add shop --expires 2030-01-31'],
    list: ['key list shop', 'key list shop --json'],
    remove: ['key remove 3', 'key remove 3 --client shop'],
  })
}

async function add({ client, flags, print }: Remote<AddFlags>, name?: string): Promise<void> {
  const { id } = await findClient(client, name as string)
  const { description, expires } = flags
  const body = { ...(description !== undefined && { description }), ...(expires && { expiresDate: expires }) }
  const created = await client.call((api) =>
    api.POST('/admin/api/clients/{id}/keys', { params: { path: { id } }, body }),
  )
  print(created, created.key)
}

async function remove({ client, flags, print }: Remote<RemoveFlags>, text?: string): Promise<void> {
  const keyId = Number(text)
  const clients = flags.client === undefined ? await all(client) : [await findClient(client, flags.client)]
  for (const { id } of clients) {
    const found = (await keysOf(client, id)).find((key) => key.id === keyId)
    if (!found) continue
    const path = { id, keyId }
    await client.call((api) => api.DELETE('/admin/api/clients/{id}/keys/{keyId}', { params: { path } }))
    return print(found, `${keyId} removed`)
  }
  throw new Exit(
    EXIT.notFound,
    `There is no key ${text}. "waybill key list CLIENT" lists the keys of a client.`,
  )
}

async function findClient(client: Client, deviseId: string): Promise<ClientRecord> {
  const found = (await all(client)).find((each) => each.deviseId === deviseId)
  if (found) return found
  throw new Exit(EXIT.notFound, `There is no client "${deviseId}". "waybill client list" lists all clients.`)
}

async function all(client: Client): Promise<ClientRecord[]> {
  return client.call((api) => api.GET('/admin/api/clients'))
}

async function keysOf(client: Client, id: number): Promise<ApiKey[]> {
  return client.call((api) => api.GET('/admin/api/clients/{id}/keys', { params: { path: { id } } }))
}

/** Parses a date, with an optional time. Refuses the past, because the key would be invalid from the start. */
function futureDate(text: string): number {
  const atMs = date(text)
  if (atMs === null) {
    throw new InvalidArgumentError('Expected a date, such as 2030-01-31 or 2030-01-31T12:00:00Z.')
  }
  if (atMs <= Date.now()) throw new InvalidArgumentError('The date is in the past. Choose a later one.')
  return atMs
}
