/** Many clients at once, from a file: what it would do, its doing, and how far it has come. */
import { type components, pause } from '../../client/index.ts'
import { call } from './session.ts'

export type ImportReport = components['schemas']['ImportReport']

const ASK_MS = 500

/** @returns the report of a dry run, or of an import that has just begun */
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

/** Tells of an import until it has ended. */
export async function* progress(id: number): AsyncGenerator<ImportReport> {
  for (;;) {
    const report = await call((api) =>
      api.GET('/admin/api/clients/import/{id}', { params: { path: { id } } }),
    )
    yield report
    if (report.state !== 'RUNNING') return
    await pause(ASK_MS)
  }
}
