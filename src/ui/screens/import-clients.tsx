/**
 * Imports logins from a CSV file: each line is checked at once, then imported, and new passwords are downloaded once.
 */
import { Download, FileDown } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import {
  downloadPasswords,
  downloadSample,
  followImport,
  type ImportReport,
  importClients,
  type Passwords,
} from '../state/imports.ts'
import { useTexts } from '../texts/texts.ts'
import { ImportLines } from './import-lines.tsx'

export function ImportClients({ onClose }: { onClose: () => void }) {
  const t = useTexts('import')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [passwords, setPasswords] = useState<Passwords>([])
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)

  const attempt = (step: Promise<unknown>): void => {
    setProblem(null)
    step.catch((error: unknown) => setProblem(textOf(error)))
  }
  async function plan(chosen: File | undefined): Promise<void> {
    setReport(null)
    setTyped('')
    setFile(chosen ?? null)
    if (chosen) setReport(await importClients(chosen, true))
  }
  async function start(chosen: File): Promise<void> {
    const begun = await importClients(chosen, false)
    setPasswords(begun.passwords ?? [])
    setReport(begun)
    for await (const each of followImport(begun.id)) setReport(each)
  }

  const count = report?.state === 'PLANNED' ? report.created + report.changed : 0
  const demoted = report?.changes?.find(({ isDemotion }) => isDemotion)?.deviseId
  const isOver = report?.state === 'DONE' || report?.state === 'STOPPED'
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p class="muted">{t.lead}</p>
      <p>
        <button type="button" class="small quiet" onClick={downloadSample}>
          <FileDown size={14} aria-hidden="true" /> {t.sample}
        </button>
      </p>
      <label>
        {t.file}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ currentTarget }) => attempt(plan(currentTarget.files?.[0]))}
        />
      </label>
      <p role="alert" class="problem">
        {problem}
      </p>
      {report && <Report report={report} />}
      {count > 0 && demoted !== undefined && (
        <label>
          {t.demotes} {common.typeToConfirm({ id: demoted })}
          <input
            class="id"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      )}
      {isOver && passwords.length > 0 && <p class="notice wait">{t.passwordsHint}</p>}
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {common.close}
        </button>
        {file && count > 0 && (
          <button
            type="button"
            disabled={demoted !== undefined && typed !== demoted}
            onClick={() => attempt(start(file))}
          >
            {t.start({ count })}
          </button>
        )}
        {isOver && passwords.length > 0 && (
          <button type="button" onClick={() => downloadPasswords(report, passwords)}>
            <Download size={15} aria-hidden="true" /> {t.passwords}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function Report({ report }: { report: ImportReport }) {
  const t = useTexts('import')
  const { state, lines, done, created, changed, unchanged, errors, encoding = 'UTF-8' } = report
  const titles = {
    PLANNED: lines === 0 ? t.nothing : t.planned,
    RUNNING: t.running({ done, lines }),
    DONE: t.done,
    STOPPED: t.stopped,
  }
  return (
    <section>
      <div aria-live="polite">
        <h3>{titles[state]}</h3>
        {state === 'RUNNING' && <progress value={done} max={lines} aria-label={titles.RUNNING} />}
        <p class="tally">
          <span class="badge good">{t.created(created)}</span>
          <span class="badge info">{t.changed(changed)}</span>
          <span class="badge calm">{t.unchanged(unchanged)}</span>
          {errors.length > 0 && <span class="badge bad">{t.refused(errors.length)}</span>}
        </p>
        {encoding !== 'UTF-8' && <p>{t.encoding({ encoding })}</p>}
      </div>
      <ImportLines report={report} />
    </section>
  )
}
