/** Lists the settings in groups, with a search. The server does not reveal secrets. */
import { EyeOff } from 'lucide-preact'
import { FilterField } from '../parts/filter-field.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { links, navigate, type Query, query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { loadSystem, type Setting } from '../state/system.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'

export function SettingsTab() {
  const language = useLanguage()
  const system = useResource(`settings/${language}`, () => loadSystem(language))
  return <Loaded from={system}>{({ settings }) => <Settings settings={settings} />}</Loaded>
}

function Settings({ settings }: { settings: readonly Setting[] }) {
  const t = useTexts('system')
  const { search = '', differs = '' } = query.value
  const set = (change: Query): void =>
    navigate(links.system('settings', { search, differs, ...change }), { replace: true })
  const wanted = search.toLowerCase()
  const shown = settings.filter(
    (each) =>
      (differs === '' || each.isDefault === false) &&
      [each.name, each.env, each.flag, meaningOf(each)].some((text) => text?.toLowerCase().includes(wanted)),
  )
  return (
    <>
      <p class="lead">{t.settingsLead}</p>
      <search class="filter-bar">
        <div class="fields open">
          <FilterField
            label={t.searchSettings}
            value={search}
            isMain
            onApply={(text) => set({ search: text })}
          />
        </div>
      </search>
      <label class="switch">
        <input
          type="checkbox"
          checked={differs !== ''}
          onChange={({ currentTarget }) => set({ differs: currentTarget.checked ? 'true' : '' })}
        />
        {t.changedOnly}
      </label>

      {shown.length === 0 && <p>{search === '' ? t.nothing : t.noSetting}</p>}
      {groupsOf(shown).map(([group, own]) => (
        <section key={group} aria-label={group}>
          <h2 class="id">{group}</h2>
          <Group settings={own} />
        </section>
      ))}
    </>
  )
}

/** Groups the settings by the first part of their names, in the order of the server. */
function groupsOf(settings: readonly Setting[]): [group: string, settings: Setting[]][] {
  const groups = new Map<string, Setting[]>()
  for (const each of settings) {
    const group = each.name.split('.', 1)[0] as string
    groups.set(group, [...(groups.get(group) ?? []), each])
  }
  return [...groups]
}

function meaningOf({ meaning }: Setting): string {
  return meaning.charAt(0).toUpperCase() + meaning.slice(1)
}

function Group({ settings }: { settings: readonly Setting[] }) {
  const t = useTexts('system')
  return (
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
          {settings.map((each) => (
            <Row key={each.name} setting={each} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ setting }: { setting: Setting }) {
  const t = useTexts('system')
  const origins = useTexts('origins')
  const { name, env, flag, origin } = setting
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
      <td data-label={t.meaning} class="muted">
        {meaningOf(setting)}
      </td>
    </tr>
  )
}

function Value({ setting: { value, secret, unit, isDefault, default: defaultValue } }: { setting: Setting }) {
  const t = useTexts('system')
  const units: Readonly<Record<string, unknown>> = useTexts('units')
  const unitOf = (name: string): string => (typeof units[name] === 'string' ? (units[name] as string) : name)
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
          <span class="id">{text}</span> {unit !== null && <small class="muted">{unitOf(unit)}</small>}
        </span>
      )}
      {isDefault === false && <small class="muted">{t.defaultIs({ value: defaultValue || t.empty })}</small>}
    </span>
  )
}
