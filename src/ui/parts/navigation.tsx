/** Shows the links to the screens in groups, and on a phone a bar with the most important ones. */
import { Ellipsis, LogOut, Search, Send } from 'lucide-preact'
import { openAlerts } from '../state/alert-count.ts'
import { links, path } from '../state/location.ts'
import { session, signOut } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { AdminOnly } from './admin-only.tsx'
import { isPaletteOpen } from './global-keys.tsx'
import { ADMINISTER, BAR, isWithin, OPERATE, type ScreenItem } from './navigation-items.ts'
import { Preferences } from './preferences.tsx'

export function Navigation({ isOpen }: { isOpen: boolean }) {
  const t = useTexts('shell')
  return (
    <nav id="navigation" aria-label={t.main} class={isOpen ? 'open' : ''}>
      <AdminOnly>
        <a class="button send" href={links.send()} aria-keyshortcuts="c">
          <Send size={16} aria-hidden="true" /> {t.send} <kbd>c</kbd>
        </a>
      </AdminOnly>
      <button
        type="button"
        class="find"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          isPaletteOpen.value = true
        }}
      >
        <Search size={15} aria-hidden="true" /> {t.palette} <kbd>Ctrl K</kbd>
      </button>
      <Group name={t.operate} items={OPERATE} />
      <Group name={t.administer} items={ADMINISTER} />
      <footer>
        <Preferences />
        <p class="who">
          <span class="id" title={session.value?.deviceId}>
            {session.value?.deviceId}
          </span>
          <button type="button" class="small quiet" onClick={() => signOut()}>
            <LogOut size={14} aria-hidden="true" /> {t.signOut}
          </button>
        </p>
      </footer>
    </nav>
  )
}

function Group({ name, items }: { name: string; items: readonly ScreenItem[] }) {
  return (
    <section aria-label={name}>
      <p aria-hidden="true">{name}</p>
      <ul>
        {items.map((item) => (
          <li key={item[0]}>
            <ScreenLink item={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ScreenLink({ item: [name, Icon] }: { item: ScreenItem }) {
  const t = useTexts('shell')
  return (
    <a href={links[name]()} aria-current={isWithin(name, path.value) ? 'page' : undefined}>
      <Icon size={17} aria-hidden="true" /> <span>{t[name]}</span>
      {name === 'overview' && <AlertCount />}
    </a>
  )
}

function AlertCount() {
  const t = useTexts('shell')
  const count = openAlerts.value
  if (count === 0) return null
  return (
    <b class="count">
      {count}
      <span class="visually-hidden"> {t.alerts(count)}</span>
    </b>
  )
}

interface PhoneBarProps {
  readonly isOpen: boolean
  readonly onMore: () => void
}

/** Shows the bar at the bottom of a phone. */
export function PhoneBar({ isOpen, onMore }: PhoneBarProps) {
  const t = useTexts('shell')
  return (
    <nav class="phone-bar" aria-label={t.bar}>
      {BAR.map((item) => (
        <ScreenLink key={item[0]} item={item} />
      ))}
      <AdminOnly>
        <a href={links.send()}>
          <Send size={17} aria-hidden="true" /> <span>{t.sendShort}</span>
        </a>
      </AdminOnly>
      <button type="button" class="icon" aria-expanded={isOpen} aria-controls="navigation" onClick={onMore}>
        <Ellipsis size={17} aria-hidden="true" /> <span>{t.more}</span>
      </button>
    </nav>
  )
}
