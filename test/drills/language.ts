/** A language of the admin page. Its texts are the English ones with a German beginning, in the place of a translation. */
import { expect } from 'vitest'
import { CLIENT_TYPES, type Drill } from './_support/drill.ts'

/** Parts of the page with their own texts. */
const PARTS = ['system', 'incidents', 'handover', 'import-clients']

/** Returns a function that makes the German texts of a file from the English ones. */
function textsFrom(english: string) {
  return (read: (path: string) => string): string =>
    read(`src/ui/texts/${english}`)
      .replace('in English', 'in German')
      .replace(
        "import type { Texts } from './translation.ts'",
        `import type { texts as english } from './${english}'\nimport type { TranslationOf } from './translation.ts'`,
      )
      .replace("    retry: 'Try again',", "    retry: 'Noch einmal versuchen',")
      .replace('} as const satisfies Texts', '} satisfies TranslationOf<typeof english>')
}

export const LANGUAGE: Drill = {
  change: 'a language of the page',
  name: 'language',
  goal: { changed: 1, created: 1 },
  beyond:
    'each part of the page that is opened rarely has its own texts; the server explains the settings in the same languages, and the API names them',
  edits: {
    'src/ui/texts/languages.ts': [
      [
        "  ru: { label: 'Русский', load: () => import('./ru.ts') },\n",
        "  ru: { label: 'Русский', load: () => import('./ru.ts') },\n  de: { label: 'Deutsch', load: () => import('./de.ts') },\n",
      ],
    ],
    'src/ui/texts/parts.ts': PARTS.map((part) => [
      `import('./${part}.ru.ts')`,
      `import('./${part}.ru.ts'), de: () => import('./${part}.de.ts')`,
    ]),
    'src/config/meanings.ts': [
      ["MEANING_LANGUAGES = ['en', 'ru'] as const", "MEANING_LANGUAGES = ['en', 'ru', 'de'] as const"],
    ],
  },
  derived: {
    'src/ui/texts/de.ts': textsFrom('en.ts'),
    ...Object.fromEntries(PARTS.map((part) => [`src/ui/texts/${part}.de.ts`, textsFrom(`${part}.en.ts`)])),
  },
  written: [CLIENT_TYPES],
  served: {
    'the settings in the language → an answer': async (server) => {
      const { settings } = await server.call('GET', '/admin/api/system?details=true&language=de')
      expect(settings).toContainEqual(expect.objectContaining({ name: 'server.port' }))
    },
  },
  copied: {
    'the texts → a file of their own, which the page loads when somebody chooses the language': (copy) => {
      expect(copy.scriptsWith('Noch einmal versuchen')).toEqual([expect.stringMatching(/^de-/)])
    },
  },
}
