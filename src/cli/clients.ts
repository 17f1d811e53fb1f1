/** `waybill client`: lists, adds and removes clients. */
import { randomBytes } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { Client, components } from '../client/index.ts'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamplesTo } from '../runner/examples.ts'
import { type Output, type Remote, remote } from './remote.ts'
import type { Column } from './table.ts'

type ClientRecord = components['schemas']['Client']
type Role = components['schemas']['Role']

interface NewFlags {
  readonly newPassword?: string
  readonly role: Role
  readonly description?: string
}

const COLUMNS: readonly Column<ClientRecord>[] = [
  { heading: 'ID', cell: ({ id }) => String(id) },
  { heading: 'ROLE', cell: ({ role }) => role },
  { heading: 'CLIENT', cell: ({ deviseId }) => deviseId, isLong: true },
  { heading: 'DESCRIPTION', cell: ({ description }) => description, isLong: true },
]

/** Adds the commands that call a server. @returns the parent command */
export function addClients(program: Command, output: Output): Command {
  const clients = program
    .command('client')
    .description('list, add and remove clients (devices and people), or set a lost password')
  remote<NewFlags>(
    clients
      .command('add <deviseId>')
      .description('add a client; without --new-password its password is random and printed')
      .option('--new-password <password>', 'password of the client, or its bcrypt hash')
      .addOption(
        new Option('--role <role>', 'role of the client; MAN is an admin, READER may only read')
          .choices(['DEVISE', 'MAN', 'READER'])
          .default('DEVISE'),
      )
      .option('--description <text>', 'description for admins'),
    output,
    add,
  )
  remote(clients.command('list').description('list all clients'), output, async ({ client, list }) => {
    await list(await all(client), COLUMNS, 'there is no client')
  })
  remote(
    clients.command('remove <deviseId>').description('remove a client and end its tokens at once'),
    output,
    async ({ client, print }, deviseId) => {
      const found = (await all(client)).find((each) => each.deviseId === deviseId)
      if (!found)
        throw new Exit(
          EXIT.notFound,
          `There is no client "${deviseId}". "waybill client list" lists all clients.`,
        )
      const path = { id: found.id }
      await client.call((api) => api.DELETE('/admin/api/clients/{id}', { params: { path } }))
      print(found, `${found.id} removed`)
    },
  )
  addExamplesTo(clients, {
    add: ['client add pump-1', 'client add anna --role MAN --description "Anna, night shift"'],
    list: ['client list', 'client list --json'],
    remove: ['client remove pump-1'],
  })
  return clients
}

async function add({ client, flags, print }: Remote<NewFlags>, deviseId?: string): Promise<void> {
  const { newPassword, role, description } = flags
  const password = newPassword ?? randomBytes(15).toString('base64url')
  const body = { deviseId: deviseId as string, password, role, description }
  const made = await client.call((api) => api.POST('/admin/api/clients', { body }))
  if (newPassword === undefined)
    print({ ...made, password }, `${made.id} ${made.deviseId} password ${password}`)
  else print(made, `${made.id} ${made.deviseId}`)
}

async function all(client: Client): Promise<ClientRecord[]> {
  return client.call((api) => api.GET('/admin/api/clients'))
}
