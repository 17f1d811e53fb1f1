/** Keeps the preferences of this browser: the language, and light or dark. */
import { effect, signal } from '@preact/signals'
import { LOCALES, type Locale, matchesLocale } from '../texts/languages.ts'
import { showLanguage } from '../texts/texts.ts'

export type Theme = 'auto' | 'light' | 'dark'

const LOCALE = 'waybill.locale'
const THEME = 'waybill.theme'

/** Returns the chosen language, or else the first language of this browser that the page has. */
export function firstLocale(): Locale {
  const tags = [localStorage.getItem(LOCALE) ?? '', ...navigator.languages]
  return tags.flatMap((tag) => LOCALES.filter((each) => matchesLocale(tag, each)))[0] ?? 'en'
}

export function chooseLocale(name: Locale): Promise<void> {
  localStorage.setItem(LOCALE, name)
  return showLanguage(name)
}

const kept = localStorage.getItem(THEME)
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto')

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const systemTheme = signal(systemIsDark.matches)
systemIsDark.addEventListener('change', ({ matches }) => {
  systemTheme.value = matches
})
export const isDark = () => theme.value === 'dark' || (theme.value === 'auto' && systemTheme.value)

export function chooseTheme(name: Theme): void {
  localStorage.setItem(THEME, name)
  theme.value = name
}

effect(() => {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
})
