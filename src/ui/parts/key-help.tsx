/** Lists the keys of the page, and switches them off. */
import { areKeysOn, switchKeys } from '../state/shortcuts.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'

const KEYS = [
  ['Ctrl+K', 'palette'],
  ['/', 'search'],
  ['c', 'send'],
  ['g o', 'overview'],
  ['g d', 'devices'],
  ['g m', 'messages'],
  ['g t', 'templates'],
  ['g n', 'connections'],
  ['g i', 'incidents'],
  ['g h', 'handover'],
  ['g a', 'access'],
  ['g s', 'system'],
  ['j k', 'row'],
  ['Enter', 'open'],
  ['x', 'select'],
  ['r', 'resend'],
  ['e', 'acknowledge'],
  ['p', 'pause'],
  ['[ ]', 'neighbours'],
  ['Esc', 'close'],
  ['?', 'help'],
] as const

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const t = useTexts('keyHelp')
  const texts = { ...useTexts('shell'), ...t }
  return (
    <Dialog title={t.title} onClose={onClose}>
      <dl class="key-help">
        {KEYS.map(([keys, name]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{texts[name]}</dd>
          </div>
        ))}
      </dl>
      <label class="switch">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={({ currentTarget }) => switchKeys(currentTarget.checked)}
        />
        {t.isOn}
      </label>
    </Dialog>
  )
}
