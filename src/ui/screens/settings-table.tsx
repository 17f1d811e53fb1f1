/** Lists all settings with their value and its origin. The server does not reveal secrets. */
import { EyeOff } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { Setting } from '../state/system.ts'
import { useTexts } from '../texts/texts.ts'

export function SettingsTable({ settings }: { settings: readonly Setting[] }) {
  const t = useTexts('system')
  const [changedOnly, setChangedOnly] = useState(false)
  const shown = settings.filter(({ origin }) => !changedOnly || origin !== 'DEFAULT')
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{t.settings}</h2>
      <p class="muted">{t.settingsLead}</p>
      <label class="switch">
        <input
          type="checkbox"
          checked={changedOnly}
          onChange={({ currentTarget }) => setChangedOnly(currentTarget.checked)}
        />
        {t.changedOnly}
      </label>
      {shown.length === 0 ? (
        <p>{t.nothing}</p>
      ) : (
        <div class="card table settings">
          <table>
            <thead>
              <tr>
                <th scope="col">{t.setting}</th>
                <th scope="col">{t.value}</th>
                <th scope="col">{t.origin}</th>
                <th scope="col">{t.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((each) => (
                <Row key={each.name} setting={each} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Row({ setting }: { setting: Setting }) {
  const t = useTexts('system')
  const origins = useTexts('origins')
  const { name, env, flag, origin, meaning } = setting
  return (
    <tr>
      <th scope="row" data-label={t.setting}>
        <span class="two-lines">
          <span class="id">{name}</span>
          {flag !== null && <small class="id muted">{flag}</small>}
          {env !== null && <small class="id muted">{env}</small>}
        </span>
      </th>
      <td data-label={t.value}>
        <Value setting={setting} />
      </td>
      <td data-label={t.origin}>
        <span class={`badge ${origin === 'DEFAULT' ? 'calm' : 'info'}`}>{origins[origin]}</span>
      </td>
      <td data-label={t.meaning} class="muted" lang="en">
        {meaning}
      </td>
    </tr>
  )
}

function Value({ setting: { value, secret, unit, origin, default: defaultValue } }: { setting: Setting }) {
  const t = useTexts('system')
  if (secret) {
    return (
      <span class="muted">
        <EyeOff size={14} aria-hidden="true" /> {t.secret}
      </span>
    )
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return (
    <span class="two-lines">
      {text === '' ? (
        <span class="muted">{t.empty}</span>
      ) : (
        <span>
          <span class="id">{text}</span> {unit !== null && <small class="muted">{unit}</small>}
        </span>
      )}
      {origin !== 'DEFAULT' && <small class="muted">{t.defaultIs({ value: defaultValue || t.empty })}</small>}
    </span>
  )
}
