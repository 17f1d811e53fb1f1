/** Imports clients from a CSV file, and follows the progress of an import. */
import { type components, pause } from '../../client/index.ts'
import { call } from './session.ts'

export type ImportReport = components['schemas']['ImportReport']

const POLL_MS = 500

/** Uploads a file. @returns the report of the dry run, or of the import that has just begun */
export function importClients(file: File, dryRun: boolean): Promise<ImportReport> {
  return call((api) =>
    api.POST('/admin/api/clients/import', {
      body: { file: '', dryRun },
      bodySerializer: () => {
        const form = new FormData()
        form.set('file', file)
        form.set('dryRun', String(dryRun))
        return form
      },
    }),
  )
}

/** Yields the report of an import twice a second until the import has ended. */
export async function* followImport(id: number): AsyncGenerator<ImportReport> {
  for (;;) {
    const report = await call((api) =>
      api.GET('/admin/api/clients/import/{id}', { params: { path: { id } } }),
    )
    yield report
    if (report.state !== 'RUNNING') return
    await pause(POLL_MS)
  }
}
