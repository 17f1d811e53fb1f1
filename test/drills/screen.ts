/** A screen of the admin page: the runs of the servers. */
import { expect } from 'vitest'
import { added, type Drill } from './_support/drill.ts'

const ENGLISH = `  runs: {
    started: 'Started',
    ended: 'Ended',
    running: 'running',
    release: 'Release',
    none: 'No run is recorded',
  },\n`
const RUSSIAN = `  runs: {
    started: 'Запуск',
    ended: 'Остановка',
    running: 'работает',
    release: 'Версия',
    none: 'Запусков нет',
  },\n`

export const SCREEN: Drill = {
  change: 'a screen',
  name: 'screen',
  goal: { changed: 7, created: 2 },
  edits: {
    'src/ui/screens.tsx': [
      added(
        "import { OverviewScreen } from './screens/overview.tsx'\n",
        "import { Runs } from './screens/runs.tsx'\n",
      ),
      added(
        '          <Route path="/api" component={Api} />\n',
        '          <Route path="/runs" component={Runs} />\n',
      ),
    ],
    'src/ui/parts/navigation-items.ts': [
      added('  Mail,\n', '  Power,\n'),
      added("  | 'system'\n", "  | 'runs'\n"),
      added("  ['system', Server],\n", "  ['runs', Power],\n"),
      added("  system: '/system',\n", "  runs: '/runs',\n"),
    ],
    'src/ui/state/location.ts': [
      added("  api: (): string => linkTo('/api'),\n", "  runs: (): string => linkTo('/runs'),\n"),
    ],
    'src/ui/texts/en.ts': [
      added("    system: 'System',\n", "    runs: 'Runs',\n"),
      ['  templates: {\n', `${ENGLISH}  templates: {\n`],
    ],
    'src/ui/texts/ru.ts': [
      added("    system: 'Система',\n", "    runs: 'Запуски',\n"),
      ['  templates: {\n', `${RUSSIAN}  templates: {\n`],
    ],
    'test/system/ui-every-screen.test.ts': [added("  ['/api', 'mqtt://'],\n", "  ['/runs', 'running'],\n")],
    'test/system/ui-screenshots.test.ts': [
      added("  { name: 'api', place: '/api', ready: 'mqtt://' },\n", "  { name: 'runs', place: '/runs' },\n"),
    ],
  },
  copied: {
    'the screen and its words in both languages → in the build': (copy) => {
      expect(copy.scriptsWith('/admin/api/runs')).toEqual([expect.stringMatching(/^screens-/)])
      expect(copy.scriptsWith('No run is recorded')).toContainEqual(expect.stringMatching(/^en-/))
      expect(copy.scriptsWith('Запусков нет')).toEqual([expect.stringMatching(/^ru-/)])
    },
  },
}
