/** Shows the server in tabs: its state, its settings, a backup, and the audit trail. */
import { AdminOnly } from '../parts/admin-only.tsx'
import { Heading } from '../parts/heading.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { links, path } from '../state/location.ts'
import { mayChange } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { Audit } from './audit.tsx'
import { BackupTab } from './backup.tsx'
import { SettingsTab } from './settings-table.tsx'
import { SystemState } from './system-state.tsx'

const TABS = ['', 'settings', 'backup', 'audit'] as const
type TabName = (typeof TABS)[number]

export function SystemScreen() {
  const frame = useTexts('shell')
  const t = useTexts('system')
  const audit = useTexts('audit')
  const named = path.value.split('/')[2] ?? ''
  const current: TabName = TABS.find((each) => each === named) ?? ''
  const texts: Readonly<Record<TabName, string>> = {
    '': t.state,
    settings: t.settings,
    backup: t.backup,
    audit: audit.title,
  }
  const shown = TABS.filter((each) => each !== 'backup' || mayChange.value)
  return (
    <>
      <Heading title={frame.system} />
      <Tabs
        label={frame.system}
        tabs={shown.map((each) => ({
          link: links.system(each),
          text: texts[each],
          isCurrent: each === current,
        }))}
      />
      {current === '' && <SystemState />}
      {current === 'settings' && <SettingsTab />}
      {current === 'backup' && (
        <AdminOnly>
          <BackupTab />
        </AdminOnly>
      )}
      {current === 'audit' && <Audit />}
    </>
  )
}
