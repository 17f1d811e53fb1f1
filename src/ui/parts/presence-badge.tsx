/** Shows the presence of a device as icon, colour and word. */
import { CircleDashed, CircleDot, MoonStar, Wifi } from 'lucide-preact'
import { nowMs } from '../state/clock.ts'
import type { Device } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'

const RECENTLY_MS = 5 * 60_000

const LOOKS = {
  online: [Wifi, 'good'],
  recently: [CircleDot, 'info'],
  away: [MoonStar, 'calm'],
  unseen: [CircleDashed, 'calm'],
} as const

function presenceOf({ transport, lastSeenDate }: Device): keyof typeof LOOKS {
  if (transport !== null) return 'online'
  if (lastSeenDate === null) return 'unseen'
  return nowMs.value - lastSeenDate < RECENTLY_MS ? 'recently' : 'away'
}

export function PresenceBadge({ device }: { device: Device }) {
  const t = useTexts('devices')
  const presence = presenceOf(device)
  const [Icon, tone] = LOOKS[presence]
  return (
    <span class={`badge ${tone}`} title={t[`${presence}Hint`]}>
      <Icon size={14} aria-hidden="true" />
      {t[presence]}
      {device.transport !== null && <span class="by">{device.transport}</span>}
    </span>
  )
}
