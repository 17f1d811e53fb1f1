/** Converts clients from and to CSV (RFC 4180). */
import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import { type ClientRecord, ROLES } from '../auth/clients.ts'
import { MAX_LISTED_DEVICES } from '../auth/device-list.ts'
import type { ImportEntry, ImportLine } from '../auth/import-lines.ts'
import { HttpError } from '../web/endpoint.ts'
import { Choice, type Static, Text, Type } from '../web/schema.ts'
import { KeywordValidator } from '../web/validators.ts'
import { DeviceId } from '../wire.ts'
import { csvText, withGuard, withoutGuard } from './csv.ts'

/** Schema of the devices that a client may act for. CSV separates the entries by spaces, so none has white space. */
export const DeviceEntries = Type.Array(
  Type.String({ minLength: 1, maxLength: 255, pattern: '^\\S+$', examples: ['site-1-*'] }),
  {
    maxItems: MAX_LISTED_DEVICES,
    description:
      'device ids, and prefixes of ids ending in `*`, that the client may act for beside its own id; `*` alone: every device',
  },
)

const COLUMNS = ['deviseId', 'password', 'role', 'description', 'devices', 'ownQueueOnly'] as const
type ClientRow = Static<typeof ClientRow>
const ClientRow = Type.Object({
  deviseId: DeviceId,
  password: Type.Optional(Text()),
  role: Type.Optional(Choice(ROLES)),
  description: Type.Optional(Text({ maxLength: 4096 })),
  devices: Type.Optional(DeviceEntries),
  ownQueueOnly: Type.Optional(Type.Boolean()),
})

/** Codes of the errors of a whole file, with the names of their params. */
export const CSV_PROBLEMS = {
  'csv-not-utf8': [],
  'csv-malformed': [],
  'csv-columns': ['columns'],
} as const satisfies Readonly<Record<string, readonly string[]>>

const rowValidator = new KeywordValidator(ClientRow)

interface ParsedRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * Reads a CSV file: one line for each row below the header. An empty cell means that the value is not given.
 *
 * @throws {HttpError} 400 when the file is not UTF-8 or not CSV, or its header does not name the columns
 */
export function parseClientsCsv(bytes: Uint8Array): ImportLine[] {
  if (!isUtf8(bytes))
    throw new HttpError(400, 'The file is not UTF-8. Save it as CSV in UTF-8.', { code: 'csv-not-utf8' })
  const text = Buffer.from(bytes).toString('utf8')
  const [header, ...rows] = parseRows(text)
  const names = header?.record.map((name) => name.trim()) ?? []
  const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name))
  if (!names.includes('deviseId') || unknown !== undefined || new Set(names).size < names.length) {
    const found = unknown === undefined ? '' : `, not "${unknown}"`
    throw new HttpError(
      400,
      `The first line must name the columns: deviseId, and any of ${COLUMNS.slice(1).join(', ')}${found}.`,
      { code: 'csv-columns', params: { columns: COLUMNS.join(', ') } },
    )
  }
  return rows.map(({ record, info }) => lineOf(info.lines, names, record))
}

function parseRows(text: string): ParsedRow[] {
  const header = text.split('\n', 1)[0] as string
  // Some spreadsheets write semicolons where the comma is the decimal sign.
  const delimiter = header.includes(';') && !header.includes(',') ? ';' : ','
  try {
    const options = {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    } as const
    return parse(text, options) as unknown as ParsedRow[]
  } catch (error) {
    throw new HttpError(
      400,
      `The file is not valid CSV: ${(error as Error).message}. Save it as CSV in UTF-8.`,
      { code: 'csv-malformed' },
    )
  }
}

function lineOf(line: number, names: readonly string[], cells: readonly string[]): ImportLine {
  const deviceId = withoutGuard(cells[names.indexOf('deviseId')] ?? '') || null
  if (cells.length !== names.length) {
    const message = `The line has ${cells.length} cells, the first line ${names.length}. Give it as many.`
    const params = { cells: cells.length, expected: names.length }
    return { line, deviceId, problem: { code: 'bad-cell-count', message, params } }
  }
  const given = names.map((name, i) => [name, withoutGuard(cells[i] as string)] as const)
  const members = Object.fromEntries(
    given.filter(([, text]) => text !== '').map(([name, text]) => [name, cellValue(name, text)]),
  )
  try {
    rowValidator.check(members)
  } catch (error) {
    const { message, options } = error as HttpError
    return { line, deviceId, problem: { code: 'bad-keyword', message, params: options.params } }
  }
  const { deviseId, ...entry } = members as unknown as ClientRow
  return { line, entry: { deviceId: deviseId, ...entry } satisfies ImportEntry }
}

/** Returns the value of a cell. Spaces separate the entries of a list. */
function cellValue(name: string, text: string): string | boolean | string[] {
  if (name === 'devices') return text.split(' ').filter((entry) => entry !== '')
  if (name !== 'ownQueueOnly') return text
  // Spreadsheets write TRUE and FALSE. The schema refuses any other text.
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : text
}

/**
 * Returns the clients as CSV, with the columns of an import but for the passwords: only their hashes are stored.
 *
 * @param details true adds the columns `devices` and `ownQueueOnly`
 */
export function formatClientsCsv(clients: readonly ClientRecord[], details: boolean): string {
  const rows = clients.map(({ deviceId, role, description, devices, ownQueueOnly }) => [
    withGuard(deviceId),
    role,
    withGuard(description),
    ...(details ? [withGuard(devices.join(' ')), String(ownQueueOnly ?? '')] : []),
  ])
  const names = ['deviseId', 'role', 'description', ...(details ? ['devices', 'ownQueueOnly'] : [])]
  return csvText([names, ...rows])
}
