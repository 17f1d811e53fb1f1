/** Imports clients from a CSV file, and follows the progress of an import. */
import { type components, pause } from '../../client/index.ts'
import { csvOf } from './csv.ts'
import { downloadFile } from './devices.ts'
import { call } from './session.ts'

export type ImportReport = components['schemas']['ImportReport']

const POLL_MS = 500

/**
 * Uploads a file. New clients without a password get a random one.
 *
 * @returns the report of the dry run, or of the import that has just begun, with the passwords
 */
export function importClients(file: File, dryRun: boolean): Promise<ImportReport> {
  return call((api) =>
    api.POST('/admin/api/clients/import', {
      body: { file: '', dryRun },
      bodySerializer: () => {
        const form = new FormData()
        form.set('file', file)
        form.set('dryRun', String(dryRun))
        form.set('generatePasswords', 'true')
        form.set('details', 'true')
        return form
      },
    }),
  )
}

/** Yields the report of an import twice a second until the import has ended. */
export async function* followImport(id: number): AsyncGenerator<ImportReport> {
  for (;;) {
    const report = await call((api) =>
      api.GET('/admin/api/clients/import/{id}', { params: { path: { id }, query: { details: true } } }),
    )
    yield report
    if (report.state !== 'RUNNING') return
    await pause(POLL_MS)
  }
}

const SAMPLE = [
  ['deviseId', 'password', 'role', 'description'],
  ['pump-1', '', '', 'Pump in the cellar'],
  ['lift-3', 'a password of its own', '', ''],
  ['irina', '', 'READER', 'On duty'],
]

export function downloadSample(): void {
  downloadCsv(SAMPLE, 'logins-sample.csv')
}

/** Downloads generated passwords, except for the lines that the import refused. */
export function downloadPasswords({ errors }: ImportReport, passwords: Passwords): void {
  const refused = new Set(errors.map(({ line }) => line))
  const rows = passwords
    .filter(({ line }) => !refused.has(line))
    .map(({ deviseId, password }) => [deviseId, password])
  downloadCsv([['deviseId', 'password'], ...rows], 'passwords.csv')
}

export type Passwords = NonNullable<ImportReport['passwords']>

function downloadCsv(rows: readonly string[][], name: string): void {
  downloadFile(new Blob([csvOf(rows)], { type: 'text/csv' }), name)
}
