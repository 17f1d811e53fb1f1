/** Converts clients from and to CSV (RFC 4180). */
import { parse } from 'csv-parse/sync'
import { type ClientRecord, ROLES } from '../auth/clients.ts'
import { MAX_LISTED_DEVICES } from '../auth/device-list.ts'
import type { ImportEntry, ImportLine } from '../auth/import-lines.ts'
import { HttpError } from '../web/endpoint.ts'
import { Choice, type Static, Text, Type } from '../web/schema.ts'
import { KeywordValidator } from '../web/validators.ts'
import { csvText, withGuard, withoutGuard } from './csv.ts'
import { type CsvEncoding, decodeCsv } from './csv-decode.ts'
import { DeviceId } from './messages.ts'

/**
 * Schema of the devices that a client may act for. CSV separates the entries by spaces, so none contains white space.
 */
export const DeviceEntries = Type.Array(
  Type.String({ minLength: 1, maxLength: 255, pattern: '^\\S+$', examples: ['site-1-*'] }),
  {
    maxItems: MAX_LISTED_DEVICES,
    description:
      'device ids, and prefixes of ids ending in `*`, that the client may act for beside its own id; `*` alone: every device',
  },
)

const COLUMNS = ['deviseId', 'password', 'role', 'description', 'devices', 'ownQueueOnly'] as const
type Column = (typeof COLUMNS)[number]

/** Columns by their accepted header names, in lower case. */
const COLUMN_BY_NAME: ReadonlyMap<string, Column> = new Map([
  ...COLUMNS.map((column) => [column.toLowerCase(), column] as const),
  ...['id', 'device', 'deviceid'].map((name) => [name, 'deviseId'] as const),
])

/** Columns in which an export guards formulas. No export has passwords, so the apostrophe of a password is its own. */
const GUARDED: ReadonlySet<Column> = new Set<Column>(['deviseId', 'description', 'devices'])

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
  'csv-not-text': [],
  'csv-malformed': [],
  'csv-columns': ['columns'],
} as const satisfies Readonly<Record<string, readonly string[]>>

const rowValidator = new KeywordValidator(ClientRow)

interface ParsedRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

export interface ParsedClients {
  readonly lines: ImportLine[]
  readonly encoding: CsvEncoding
}

/**
 * Reads a CSV file: one line for each non-empty row below the header. An empty cell means no value.
 *
 * @throws {HttpError} 400 when the file is not text or not CSV, or its header does not name the columns
 */
export function parseClientsCsv(bytes: Uint8Array): ParsedClients {
  const { text, encoding } = decodeCsv(bytes)
  const [header, ...rows] = parseRows(text)
  const columns = columnsOf(header?.record ?? [])
  return { lines: rows.map(({ record, info }) => lineOf(info.lines, columns, record)), encoding }
}

function columnsOf(header: readonly string[]): Column[] {
  const names = header.map((name) => name.trim())
  const columns = names.flatMap((name) => COLUMN_BY_NAME.get(name.toLowerCase()) ?? [])
  const isWhole = columns.length === names.length && new Set(columns).size === columns.length
  if (isWhole && columns.includes('deviseId')) return columns
  const unknown = names.find((name) => !COLUMN_BY_NAME.has(name.toLowerCase()))
  const found = unknown === undefined ? '' : `, not "${unknown}"`
  throw new HttpError(
    400,
    `The first line must name the columns: deviseId, and any of ${COLUMNS.slice(1).join(', ')}, each once${found}.`,
    { code: 'csv-columns', params: { columns: COLUMNS.join(', ') } },
  )
}

/** Matches a first line that declares the separator for Excel. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?[\r\n]/i

function parseRows(text: string): ParsedRow[] {
  const separator = SEPARATOR_LINE.exec(text)?.[1]
  // Some spreadsheets write semicolons where the comma is the decimal sign.
  const delimiter = separator ?? /^.*?([,;\t])/.exec(text.trimStart())?.[1] ?? ','
  try {
    const options = {
      delimiter,
      from_line: separator === undefined ? 1 : 2,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
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

function lineOf(line: number, columns: readonly Column[], cells: readonly string[]): ImportLine {
  const deviceId = withoutGuard(cells[columns.indexOf('deviseId')] ?? '') || null
  if (cells.length !== columns.length) {
    const message = `The line has ${cells.length} cells, the first line ${columns.length}. Give it as many.`
    const params = { cells: cells.length, expected: columns.length }
    return { line, deviceId, problem: { code: 'bad-cell-count', message, params } }
  }
  const given = columns.map((column, i) => [column, cells[i] as string] as const)
  const members = Object.fromEntries(
    given.filter(([, text]) => text !== '').map(([column, text]) => [column, cellValue(column, text)]),
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
function cellValue(column: Column, cell: string): string | boolean | string[] {
  const text = GUARDED.has(column) ? withoutGuard(cell) : cell
  if (column === 'devices') return text.split(' ').filter((entry) => entry !== '')
  if (column !== 'ownQueueOnly') return text
  // Spreadsheets write TRUE and FALSE. The schema refuses any other text.
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : text
}

/**
 * Formats the clients as CSV, with the columns of an import except the passwords, of which only hashes are stored.
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
