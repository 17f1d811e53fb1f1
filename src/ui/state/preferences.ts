/** What a person chose for this browser: the language and light or dark. */
import { effect, signal } from '@preact/signals'
import { atom } from 'nanostores'

export type Locale = 'en' | 'ru'
export type Theme = 'auto' | 'light' | 'dark'

const LOCALE = 'waybill.locale'
const THEME = 'waybill.theme'

function firstLocale(): Locale {
  const wanted = [localStorage.getItem(LOCALE), ...navigator.languages]
  const known = wanted.map((name) => name?.slice(0, 2)).find((name) => name === 'en' || name === 'ru')
  return known ?? 'en'
}

export const locale = atom<Locale>(firstLocale())
locale.subscribe((name) => {
  document.documentElement.lang = name
})

export function chooseLocale(name: Locale): void {
  localStorage.setItem(LOCALE, name)
  locale.set(name)
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
