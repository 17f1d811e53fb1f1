/** Lets the user choose the language, and light or dark. */
import { Languages, Monitor, Moon, Sun } from 'lucide-preact'
import { chooseLocale, chooseTheme, type Theme, theme } from '../state/preferences.ts'
import { LANGUAGES, LOCALES, type Locale } from '../texts/languages.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'

const THEMES = { auto: Monitor, light: Sun, dark: Moon }

export function Preferences() {
  const t = useTexts('shell')
  const locale = useLanguage()
  const Icon = THEMES[theme.value]
  return (
    <div class="preferences">
      <label class="choice">
        <Languages size={15} aria-hidden="true" />
        <span class="visually-hidden">{t.language}</span>
        <select
          value={locale}
          onChange={({ currentTarget: select }) => {
            chooseLocale(select.value as Locale).catch(() => {
              select.value = locale
            })
          }}
        >
          {LOCALES.map((name) => (
            <option key={name} value={name} lang={name}>
              {LANGUAGES[name].label}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <Icon size={15} aria-hidden="true" />
        <span class="visually-hidden">{t.theme}</span>
        <select
          value={theme.value}
          onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}
        >
          {(['auto', 'light', 'dark'] as const).map((name) => (
            <option key={name} value={name}>
              {t[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
