/** `waybill audit`: lists who changed what, newest first. */
import { type Command, Option } from 'commander'
import { AUDIT_ACTIONS, type AuditAction } from '../audit/audit.ts'
import type { components } from '../client/index.ts'
import { count, time } from './arguments.ts'
import { type Output, remote } from './remote.ts'

type Line = components['schemas']['AuditLine']

interface Flags {
  readonly client?: string
  readonly action?: AuditAction
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** Maximum lines of one page of the API. */
const PAGE = 500

export function addAudit(program: Command, output: Output): void {
  const command = program
    .command('audit')
    .description('list who changed what, newest first: id, time, client, address, action, object, detail')
    .option('--client <deviseId>', 'only changes by this client')
    .addOption(new Option('--action <action>', 'only this action').choices(AUDIT_ACTIONS))
    .option('--from <time>', 'only lines from this time on, such as 2026-11-23 or 2026-11-23T08:00:00Z', time)
    .option('--to <time>', 'only lines before this time', time)
    .option('--limit <n>', 'maximum lines', count, 50)
  remote<Flags>(command, output, async ({ client, flags, print }) => {
    const { client: by, action, from, to } = flags
    const only = { client: by, action, from, to }
    let left = flags.limit
    let before: number | undefined
    while (left > 0) {
      const query = { ...only, before, limit: Math.min(left, PAGE) }
      const lines = await client.call((api) => api.GET('/admin/api/audit', { params: { query } }))
      for (const line of lines) print(line, toText(line))
      if (lines.length < query.limit) return
      left -= lines.length
      before = lines.at(-1)?.id
    }
  })
}

function toText({ id, date, deviseId, address, action, object, detail }: Line): string {
  const columns = [id, new Date(date).toISOString(), deviseId, address, action, object]
  return [...columns.map((column) => column ?? '-'), JSON.stringify(detail)].join('\t')
}
