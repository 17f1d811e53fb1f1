/**
 * Lists the parts of the page that are opened rarely. Their code and their texts load when they are opened, so that the
 * first load stays small. A part needs a file of texts for each language, named as the part, and a line here.
 */
import type { Locale } from './languages.ts'
import type { Texts } from './translation.ts'

export const PARTS = {
  system: { en: () => import('./system.en.ts'), ru: () => import('./system.ru.ts') },
  incidents: { en: () => import('./incidents.en.ts'), ru: () => import('./incidents.ru.ts') },
  handover: { en: () => import('./handover.en.ts'), ru: () => import('./handover.ru.ts') },
  'import-clients': {
    en: () => import('./import-clients.en.ts'),
    ru: () => import('./import-clients.ru.ts'),
  },
} satisfies Record<string, { readonly [L in Locale]: () => Promise<{ readonly texts: Texts }> }>

export type Part = keyof typeof PARTS

type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never
type TextsOf<P extends Part> = P extends Part ? Awaited<ReturnType<(typeof PARTS)[P]['en']>>['texts'] : never

/** Sections of all parts in English. */
export type EnglishPart = Intersection<TextsOf<Part>>
