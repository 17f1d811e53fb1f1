/** A language of the admin page. Its texts are the English ones with a German beginning, in the place of a translation. */
import { expect } from 'vitest'
import { CLIENT_TYPES, type Drill } from './_support/drill.ts'

export const LANGUAGE: Drill = {
  change: 'a language of the page',
  name: 'language',
  goal: { changed: 1, created: 1 },
  beyond:
    'the server explains the settings and writes the hand-over in the same languages, and the API names them',
  edits: {
    'src/ui/texts/languages.ts': [
      [
        "  ru: { label: 'Русский', load: () => import('./ru.ts') },\n",
        "  ru: { label: 'Русский', load: () => import('./ru.ts') },\n  de: { label: 'Deutsch', load: () => import('./de.ts') },\n",
      ],
    ],
    'src/broker/handover/words.ts': [['{ en, ru } as const', '{ en, ru, de: en } as const']],
    'src/config/meanings.ts': [
      ["MEANING_LANGUAGES = ['en', 'ru'] as const", "MEANING_LANGUAGES = ['en', 'ru', 'de'] as const"],
    ],
  },
  derived: {
    'src/ui/texts/de.ts': (read) =>
      read('src/ui/texts/en.ts')
        .replace('in English, which every other language translates', 'in German')
        .replace(
          "import type { Texts } from './translation.ts'",
          "import type { Translation } from './translation.ts'",
        )
        .replace("    retry: 'Try again',", "    retry: 'Noch einmal versuchen',")
        .replace('} as const satisfies Texts', '} satisfies Translation'),
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
