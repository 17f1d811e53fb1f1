/** Shows a role as icon and word. */
import { Eye, type LucideIcon, Radio, ShieldUser } from 'lucide-preact'
import type { Role } from '../state/clients.ts'
import { useTexts } from '../texts/texts.ts'

const ICONS: Readonly<Record<Role, LucideIcon>> = { DEVISE: Radio, MAN: ShieldUser, READER: Eye }

export function RoleBadge({ role }: { role: Role }) {
  const t = useTexts('roles')
  const Icon = ICONS[role]
  return (
    <span class={`badge ${role === 'MAN' ? 'odd' : 'calm'}`} title={t[`${role}_hint`]}>
      <Icon size={14} aria-hidden="true" />
      {t[role]}
    </span>
  )
}
