/** Imports clients from a CSV file, after a dry run that shows what the import would do. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { followImport, type ImportReport, importClients } from '../state/imports.ts'
import { useTexts } from '../texts/texts.ts'

export function ImportClients({ onClose }: { onClose: () => void }) {
  const t = useTexts('import')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  const attempt = (step: Promise<unknown>): void => {
    setProblem(null)
    step.catch((error: unknown) => setProblem(textOf(error)))
  }
  async function plan(chosen: File | undefined): Promise<void> {
    setReport(null)
    setFile(chosen ?? null)
    if (chosen) setReport(await importClients(chosen, true))
  }
  async function start(chosen: File): Promise<void> {
    const begun = await importClients(chosen, false)
    setReport(begun)
    for await (const each of followImport(begun.id)) setReport(each)
  }

  const isPlanned = report?.state === 'PLANNED'
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p class="muted">{t.lead}</p>
      <label>
        {t.file}
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={({ currentTarget }) => attempt(plan(currentTarget.files?.[0]))}
        />
      </label>
      <p role="alert" class="problem">
        {problem}
      </p>
      {report && <Report report={report} />}
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {common.close}
        </button>
        {file && isPlanned && report.created + report.changed > 0 && (
          <button type="button" onClick={() => attempt(start(file))}>
            {t.start}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function Report({ report }: { report: ImportReport }) {
  const t = useTexts('import')
  const { state, lines, done, created, changed, unchanged, errors } = report
  const titles = {
    PLANNED: lines === 0 ? t.nothing : t.planned,
    RUNNING: t.running({ done, lines }),
    DONE: t.done,
    STOPPED: t.stopped,
  }
  return (
    <section aria-live="polite">
      <h3>{titles[state]}</h3>
      {state === 'RUNNING' && <progress value={done} max={lines} aria-label={titles.RUNNING} />}
      <p class="tally">
        <span class="badge good">{t.created(created)}</span>
        <span class="badge info">{t.changed(changed)}</span>
        <span class="badge calm">{t.unchanged(unchanged)}</span>
        {errors.length > 0 && <span class="badge bad">{t.refused(errors.length)}</span>}
      </p>
      {errors.length > 0 && <Refused errors={errors} />}
    </section>
  )
}

function Refused({ errors }: { errors: ImportReport['errors'] }) {
  const t = useTexts('import')
  const common = useTexts('common')
  return (
    <div class="table refused">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.line}</th>
            <th scope="col">{common.device}</th>
            <th scope="col">{t.problem}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ line, deviseId, message }) => (
            <tr key={line}>
              <th scope="row" data-label={t.line}>
                {line}
              </th>
              <td data-label={common.device} class="id">
                {deviseId ?? common.none}
              </td>
              <td data-label={t.problem}>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
