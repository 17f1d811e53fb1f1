/** Lists the lines of an import: first lines with an error or a warning, then the changes of the others. */
import { CircleAlert, TriangleAlert } from 'lucide-preact'
import { useCodeText } from '../parts/problem-text.ts'
import type { ImportReport } from '../state/imports.ts'
import { useTexts } from '../texts/texts.ts'

/** Maximum lines on the screen. The counts above include all lines. */
const MAX_LINES = 200

type Change = NonNullable<ImportReport['changes']>[number]

export function ImportLines({ report: { errors, changes = [] } }: { report: ImportReport }) {
  const t = useTexts('import')
  const common = useTexts('common')
  const clients = useTexts('clients')
  const textOf = useCodeText()
  const all = errors.length + changes.length
  const warnedFirst = changes.toSorted((a, b) => Number(!a.warning) - Number(!b.warning))
  if (all === 0) return null
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <section class="table lines" tabIndex={0} aria-label={t.lines}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.line}</th>
              <th scope="col">{clients.id}</th>
              <th scope="col">{t.result}</th>
            </tr>
          </thead>
          <tbody>
            {errors.slice(0, MAX_LINES).map(({ line, deviseId, code, params = {}, message }) => (
              <tr key={line} class="bad-line">
                <th scope="row" data-label={t.line}>
                  {line}
                </th>
                <td data-label={clients.id} class="id">
                  {deviseId ?? common.none}
                </td>
                <td data-label={t.result}>
                  <CircleAlert size={14} aria-hidden="true" /> {textOf(code, params, message)}
                </td>
              </tr>
            ))}
            {warnedFirst.slice(0, Math.max(0, MAX_LINES - errors.length)).map((change) => (
              <tr key={change.line}>
                <th scope="row" data-label={t.line}>
                  {change.line}
                </th>
                <td data-label={clients.id} class="id">
                  {change.deviseId}
                </td>
                <td data-label={t.result}>
                  <Effect change={change} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all > MAX_LINES && <p class="muted">{clients.shown({ shown: MAX_LINES, all })}</p>}
    </>
  )
}

function Effect({ change: { effect, roleBefore, role, isDemotion, warning } }: { change: Change }) {
  const t = useTexts('import')
  const roles = useTexts('roles')
  const textOf = useCodeText()
  if (warning)
    return (
      <span class="problem">
        <TriangleAlert size={14} aria-hidden="true" /> {textOf(warning.code, {}, warning.message)}
      </span>
    )
  if (effect === 'CREATED') return <>{t.willCreate({ role: roles[role] })}</>
  if (roleBefore === null || roleBefore === role) return <>{t.willChange}</>
  return (
    <span class={isDemotion ? 'problem' : undefined}>
      {isDemotion && <TriangleAlert size={14} aria-hidden="true" />}{' '}
      {t.newRole({ before: roles[roleBefore], role: roles[role] })}
    </span>
  )
}
